//! The card: what the Hub shows of a kernel, as data in its front-matter and as text below. It is made from the
//! manifest, the built variants, the package's Python and the kept results of tests and benchmarks, and never from
//! anything that was not seen.

mod built;
mod error;
mod front_matter;
mod licence;
mod markdown;
mod model;
mod own_text;
pub mod preview;
mod sections;

pub use error::CardError;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Finding;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};

use crate::project::Project;
use crate::regular;
use model::Model;
use own_text::Earlier;

/// The template of projects that have none of their own.
const TEMPLATE: &str = include_str!("../../../../templates/card/CARD.md.j2");

/// A project's own template.
const OWN_TEMPLATE: &str = "CARD.md";

/// No template or card comes near this size in bytes.
const LARGEST: u64 = 16 << 20;

/// The variable for the user's own text.
const OWN_TEXT: &str = "own_text";

/// A card with what is wrong with the variants it describes.
#[derive(Debug)]
pub struct Card {
    /// The whole text.
    pub text: String,
    /// Variants that are not what was built.
    pub findings: Vec<Finding>,
}

/// The path, unless a link leads it out of the project: a card is published.
fn inside(project: &Utf8Path, path: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    match (project.canonicalize_utf8(), path.canonicalize_utf8()) {
        (Ok(project), Ok(target)) if !target.starts_with(&project) => {
            Err(std::io::Error::other(format!("`{path}` is a link that leads out of the project")))
        }
        _ => Ok(path.to_owned()),
    }
}

/// Renders the card of a project and its variants in `build`; the user's own text is taken from an earlier card at
/// `place`. A file there that is no card of ours is an error, so that nothing of anybody's is replaced.
pub fn card(project: &Project, build: &Utf8Path, place: &Utf8Path) -> Result<Card, CardError> {
    let own_text = own_text(place)?;
    let model = Model::of(project, build)?;
    let own = project.directory.join(OWN_TEMPLATE);
    let template = match regular::text(&inside(&project.directory, &own)?, LARGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => TEMPLATE.to_owned(),
        Err(error) => return Err(error.into()),
    };
    let mut sections = Vec::from(sections::all(&model));
    sections.push((OWN_TEXT, own_text::marked(&own_text)));
    let wrong = |source| CardError::Template { file: own.to_string(), source };
    let (rendered, placed) = render(&template, &model, &sections).map_err(wrong)?;
    let parts = crate::front_matter::split(&rendered)
        .map_err(|_| CardError::FrontMatter { file: own.to_string() })?;
    let mut text = front_matter::merge(parts.inside, &model)
        .map_err(|source| CardError::Unread { file: own.to_string(), source })?;
    crate::front_matter::require_yaml(parts.inside)
        .map_err(|source| CardError::NotYaml { file: own.to_string(), source })?;
    text.push('\n');
    text.push_str(&sections::banner(&model));
    text.push_str(parts.rest.trim());
    // A template that places a section itself names its variable.
    for (_, section) in sections.iter().filter(|(name, _)| !placed.contains(&(*name).to_owned())) {
        text.push_str("\n\n");
        text.push_str(section);
    }
    text.push('\n');
    Ok(Card { text, findings: model.variants.iter().flat_map(built::BuiltModel::findings).collect() })
}

/// The user's text in the card that is there.
fn own_text(place: &Utf8Path) -> Result<String, CardError> {
    let text = match regular::text(place, LARGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            return Err(CardError::Foreign { file: place.to_string() });
        }
        Err(error) => return Err(error.into()),
    };
    match own_text::earlier(&text) {
        Earlier::Card(text) => Ok(text),
        Earlier::Torn => Err(CardError::Torn { file: place.to_string() }),
        Earlier::Foreign => Err(CardError::Foreign { file: place.to_string() }),
    }
}

/// Renders with the peer's variables and rules (formats, section 8: an undefined variable is empty) beside our own, and
/// says which of the sections the template places.
fn render(
    template: &str,
    model: &Model,
    sections: &[(&'static str, String)],
) -> Result<(String, Vec<String>), minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    let syntax = SyntaxConfig::builder().trim_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the usual syntax with other blanks"));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    // A template is the project's: it may loop, but not for ever.
    environment.set_fuel(Some(1_000_000));
    environment.add_filter("code", |words: String| markdown::span(&words));
    environment.add_filter("plain", |words: String| markdown::text(&words));
    let template = environment.template_from_str(template)?;
    let used = template.undeclared_variables(false);
    let texts: BTreeMap<&str, &str> = sections.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let value = minijinja::context! { ..Value::from(Serde(texts)), ..Value::from(Serde(model)) };
    let placed = sections.iter().map(|(name, _)| (*name).to_owned()).filter(|name| used.contains(name));
    Ok((template.render(value)?, placed.collect()))
}
