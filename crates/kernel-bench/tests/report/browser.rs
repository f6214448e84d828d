//! The page in a real browser, light and dark, with every request of the network written down.

use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::report::html;

use crate::sample::{document, every_kind};

/// Opens a page and draws it; answers with the picture and with the addresses that were asked for, those of the browser's
/// maker left out, whom it calls whatever it shows.
fn open(page: &str, dark: bool) -> (Vec<u8>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let at = |name: &str| -> Utf8PathBuf { folder.join(name) };
    fs_err::write(at("report.html"), page).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test runs a browser")]
    let output = Command::new("timeout")
        .args([
            "120",
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--hide-scrollbars",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("--user-data-dir={}", at("profile")))
        .arg(format!("--log-net-log={}", at("network.json")))
        .arg(format!("--screenshot={}", at("page.png")))
        .args(["--window-size=1180,5600", at("report.html").as_str()])
        .output()
        .expect("chromium and timeout are installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = fs_err::read_to_string(at("network.json")).unwrap();
    let own = |address: &&str| address.contains(".google.com/") || address.contains(".googleapis.com/");
    let asked = log.split("\"url\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let asked = asked.filter(|address| address.starts_with("http")).filter(|address| !own(address));
    (fs_err::read(at("page.png")).unwrap(), asked.map(str::to_owned).collect())
}

#[test]
#[ignore = "long: opens the report in Chromium, which scripts/test installs for the long tier alone"]
fn the_page_is_drawn_in_light_and_dark_without_asking_anyone() {
    let page = html(&document(&every_kind(), 1)).unwrap();
    let (light, asked_light) = open(&page, false);
    let (dark, asked_dark) = open(&page, true);
    assert_eq!((asked_light, asked_dark), (vec![], vec![]));
    // A page without its plots is a third of this.
    assert!(light.len() > 200_000 && dark.len() > 200_000 && light != dark, "{} {}", light.len(), dark.len());

    // The page's own rule stops a picture from elsewhere; without the rule it is asked for, and seen here.
    let picture = "<img src=\"http://elsewhere.invalid/a.png\"></body>";
    let planted = page.replace("</body>", picture);
    assert_eq!(open(&planted, false).1, Vec::<String>::new());
    let bare = planted.replace("default-src 'none'; style-src 'unsafe-inline'", "default-src *");
    assert!(open(&bare, false).1.iter().any(|address| address.contains("elsewhere.invalid")));
}
