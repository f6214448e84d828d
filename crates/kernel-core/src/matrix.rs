//! The matrix in force: the program's own, with the user's file laid over it.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Matrix;
use kernel_spec::matrix::MatrixError;
use miette::Diagnostic;
use thiserror::Error;

use crate::regular::{self, Unreadable};
use crate::{Context, Result};

/// No matrix comes near this size in bytes.
const LARGEST: u64 = 16 << 20;

/// Names the user's matrix; it must exist then.
const VARIABLE: &str = "KERNEL_BUILDER_MATRIX";

/// The user's matrix cannot be used.
#[derive(Debug, Error, Diagnostic)]
#[error("the matrix `{path}` cannot be used")]
#[diagnostic(
    code("variant/matrix"),
    help("mend the file, or take it away to use the matrix that comes with the program")
)]
pub struct MatrixFileError {
    path: Utf8PathBuf,
    source: MatrixError,
}

/// The matrix that comes with the program; over it the file that `KERNEL_BUILDER_MATRIX` names, or else
/// `kernel-builder/matrix.toml` in the user's configuration directory where that exists.
pub fn load(context: &Context) -> Result<Matrix> {
    let mut matrix = Matrix::embedded().clone();
    let named = context.environment.get(VARIABLE).map(|path| context.resolve(Utf8Path::new(path)));
    let usual = || Some(context.environment.configuration_directory()?.join("matrix.toml"));
    let must_exist = named.is_some();
    let Some(path) = named.or_else(usual) else { return Ok(matrix) };
    let text = if must_exist {
        regular::named(&path, LARGEST)?
    } else {
        let there = regular::text_if_there(&path, LARGEST);
        let Some(text) = there.map_err(|reason| Unreadable { path: path.clone(), reason })? else {
            return Ok(matrix);
        };
        text
    };
    matrix.merge(&text).map_err(|source| MatrixFileError { path, source })?;
    Ok(matrix)
}
