//! The card as a page for a browser. What stands in a card comes from sources and from users, so the page runs nothing, loads
//! nothing, shows HTML in the text as text, and its links lead to the web or into the page only.

use camino::Utf8Path;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

use super::{CardError, LARGEST};
use crate::{front_matter, regular};

/// What a browser may do for the page: apply its own style, nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// What tells a page of ours from anybody else's.
const MARK: &str = "<meta name=\"generator\" content=\"kernel-builder card\">";

const STYLE: &str = "body{max-width:56rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}\
    pre{background:#8882;padding:.7rem;overflow:auto}table{border-collapse:collapse}td,th{border:1px solid #8888;\
    padding:.2rem .6rem}:root{color-scheme:light dark}";

/// The page of a card.
pub fn page(title: &str, card: &str) -> String {
    let parts = front_matter::split(card).unwrap_or_else(|_| front_matter::without(card));
    let (data, body) = (parts.inside, parts.rest);
    let extensions = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut text = String::new();
    html::push_html(&mut text, Parser::new_ext(body, extensions).filter_map(harmless));
    let data = if data.is_empty() {
        String::new()
    } else {
        format!("<details><summary>Metadata</summary><pre>{}</pre></details>\n", escaped(data))
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n{MARK}\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
         {data}{text}</html>\n",
        escaped(title)
    )
}

/// Refuses a place where something lies that is no page of ours. An empty file is nobody's loss.
pub fn refuse_foreign(place: &Utf8Path) -> Result<(), CardError> {
    let foreign = || CardError::ForeignPreview { file: place.to_string() };
    match regular::text(place, LARGEST) {
        Ok(text) if text.is_empty() || text.contains(MARK) => Ok(()),
        Ok(_) => Err(foreign()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(foreign()),
        Err(error) => Err(error.into()),
    }
}

/// The part of a text as the page has it; comments, such as the marks of a user's own text, are not shown.
fn harmless(event: Event<'_>) -> Option<Event<'_>> {
    Some(match event {
        Event::Html(text) | Event::InlineHtml(text) if text.trim_start().starts_with("<!--") => return None,
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: web(dest_url), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: web(dest_url), title, id })
        }
        other => other,
    })
}

/// An address of the web or a place in the page.
fn web(address: CowStr<'_>) -> CowStr<'_> {
    let allowed = ["https://", "http://", "#"];
    if allowed.iter().any(|start| address.starts_with(start)) { address } else { CowStr::Borrowed("#") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_the_card_and_does_nothing() {
        let card = "---\nlicense: mit\n---\n# A <b>kernel</b>\n\n<script>alert(1)</script>\n\n\
                    | a | b |\n|---|---|\n| 1 | 2 |\n\n[x](javascript:alert(1)) [y](https://example.org) ![z](file:///z)\n\n\
                    <!-- own text -->\n";
        let page = page("<title>", card);
        for shown in [
            "<td>1</td>",
            "license: mit",
            "&lt;script&gt;",
            "&lt;b&gt;",
            "href=\"https://example.org\"",
            "<title>&lt;title&gt;",
        ] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        for hidden in ["<script", "javascript:", "file://", "own text", "<b>"] {
            assert!(!page.contains(hidden), "{hidden}: {page}");
        }
    }
}
