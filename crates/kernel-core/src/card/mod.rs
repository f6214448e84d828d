//! The card: what the Hub shows of a kernel, as data in its front-matter and as text below. It is made from the
//! manifest, the built variants, the package's Python and the kept test results, and never from anything that was not
//! seen.

mod error;
mod front_matter;
mod model;
mod sections;

pub use error::CardError;

use camino::{Utf8Path, Utf8PathBuf};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};

use crate::project::Project;
use crate::regular;
use model::Model;

/// The template of projects that have none of their own.
const TEMPLATE: &str = include_str!("../../../../templates/card/CARD.md.j2");

/// A project's own template.
const OWN_TEMPLATE: &str = "CARD.md";

/// No template comes near this size in bytes.
const LARGEST: u64 = 16 << 20;

/// The path, unless a link leads it out of the project: a card is published.
fn inside(project: &Utf8Path, path: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    match (project.canonicalize_utf8(), path.canonicalize_utf8()) {
        (Ok(project), Ok(target)) if !target.starts_with(&project) => {
            Err(std::io::Error::other(format!("`{path}` is a link that leads out of the project")))
        }
        _ => Ok(path.to_owned()),
    }
}

/// Renders the card of a project and its variants in `build`.
pub fn card(project: &Project, build: &Utf8Path) -> Result<String, CardError> {
    let model = Model::of(project, build)?;
    let own = project.directory.join(OWN_TEMPLATE);
    let (template, is_own) = match regular::text(&inside(&project.directory, &own)?, LARGEST) {
        Ok(text) => (text, true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (TEMPLATE.to_owned(), false),
        Err(error) => return Err(error.into()),
    };
    let (compatibility, evidence) = (sections::compatibility(&model), sections::evidence(&model));
    let rendered = render(&template, &model, &compatibility, &evidence)
        .map_err(|error| CardError::Template { file: own.to_string(), source: error })?;
    let (front_matter, body) =
        front_matter::split(&rendered).map_err(|()| CardError::FrontMatter { file: own.to_string() })?;
    let mut text = front_matter::merge(front_matter, &model);
    text.push('\n');
    text.push_str(&sections::banner(&model));
    text.push_str(body.trim());
    // A template that places the sections itself names their variables.
    for (name, section) in [("compatibility", &compatibility), ("evidence", &evidence)] {
        if is_own && !template.contains(name) {
            text.push_str("\n\n");
            text.push_str(section);
        }
    }
    text.push('\n');
    Ok(text)
}

/// Renders with the peer's variables and rules (formats, section 8: an undefined variable is empty) beside our own.
fn render(
    template: &str,
    model: &Model,
    compatibility: &str,
    evidence: &str,
) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    let syntax = SyntaxConfig::builder().trim_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the usual syntax with other blanks"));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    // A template is the project's: it may loop, but not for ever.
    environment.set_fuel(Some(1_000_000));
    let value = minijinja::context! { compatibility, evidence, ..Value::from(Serde(model)) };
    environment.render_str(template, value)
}
