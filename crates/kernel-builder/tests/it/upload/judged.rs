//! What changes while it is judged: what is published is what was judged, or nothing is.

use std::process::Stdio;

use rustix::fs::inotify;

use super::*;

/// Uploads, and changes a file once it was opened and closed so many times. Answers the status and what was said.
fn upload_while_judged(scene: &Scene, file: &str, times: usize) -> (Option<i32>, String) {
    let place = scene.path(file);
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).expect("notices");
    // Of two equal notices one is dropped, so both kinds are asked for.
    let kinds = inotify::WatchFlags::OPEN | inotify::WatchFlags::CLOSE_NOWRITE;
    inotify::add_watch(&watch, &place, kinds).expect("watched");
    let said = scene.path("said");
    let output = Stdio::from(fs_err::File::create(&said).expect("a file").into_file());
    let mut command = scene.command(&["upload", "--json"]);
    let mut child = command.stdout(output).stderr(Stdio::null()).spawn().expect("it starts");
    let (mut notices, mut changed) = (0, false);
    let status = loop {
        let mut buffer = [0; 1024];
        // A notice about the watched file itself has no name, and so is of sixteen bytes (inotify(7)).
        notices += rustix::io::read(&watch, &mut buffer).unwrap_or_default() / 16;
        if !changed && notices >= 2 * times {
            changed = true;
            let mut text = fs_err::read(&place).expect("the file");
            text.extend(b" \n");
            fs_err::write(&place, text).expect("changed");
        }
        if let Some(status) = child.try_wait().expect("a state") {
            break status;
        }
    };
    (status.code(), fs_err::read_to_string(said).expect("UTF-8"))
}

#[test]
fn a_file_that_changes_while_it_is_judged_is_not_published() {
    for file in ["__init__.py", "data/table.bin", "metadata.json"] {
        let mut noticed = 0;
        for times in 1..=6 {
            let hub = hub();
            let scene = project(&hub, "writer", "one");
            let (status, said) = upload_while_judged(&scene, &format!("build/torch-cpu/{file}"), times);
            if hub.refs(REPOSITORY).contains(&"v1".to_owned()) {
                assert_honest(&hub, "v1");
            }
            let is_noticed = said.contains(&format!("`{file}` of `torch-cpu` changed while it was judged"));
            noticed += usize::from(is_noticed && status == Some(6) && said.contains("artifact/digest"));
        }
        assert!(noticed > 0, "`{file}` was never changed in the gap");
    }
}
