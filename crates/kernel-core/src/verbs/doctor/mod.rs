//! `doctor`: what this machine can build and test, and why not. It looks at the same things as the verbs themselves and
//! changes nothing.

mod abilities;
mod tools;
mod trap;

use kernel_spec::report::{DoctorReport, ToolState};

use crate::host::PythonEnvironment;
use crate::{Context, Error, Result};

/// Examines the machine, with the Python that `--python` names or the active one.
pub fn doctor(context: &Context, python: Option<&str>) -> Result<DoctorReport> {
    let environment = match PythonEnvironment::discover(context, python) {
        Err(Error::Interrupted) => return Err(Error::Interrupted),
        // A named interpreter that does not exist is a wrong call, not a state of the machine.
        Err(error) if python.is_some() => return Err(error),
        discovered => discovered,
    };
    let mut tools = tools::programs(context, environment.as_ref().ok());
    match &environment {
        Ok(environment) => tools.extend(tools::packages(environment)),
        Err(error) => tools.push(ToolState {
            name: "python".to_owned(),
            version: None,
            path: None,
            problem: Some(error.to_string()),
        }),
    }
    let abilities = abilities::judge(&tools);
    let findings = environment.ok().as_ref().and_then(trap::find).into_iter().collect();
    Ok(DoctorReport { tools, abilities, findings })
}
