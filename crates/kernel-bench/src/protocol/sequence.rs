//! Numbers questions and holds answers against them.

use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::{Question, Random};

/// Longest line that is quoted when it is no answer.
const QUOTED: usize = 120;

/// The questions of one conversation.
#[derive(Debug)]
pub struct Sequence {
    last: u64,
    random: Random,
}

/// A question that waits for its answer.
#[derive(Debug)]
pub struct Asked {
    id: u64,
    nonce: String,
    /// The line to send.
    pub line: String,
}

/// Something on the channel that the runner did not write.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Violation {
    /// It is no object, or lacks the number and the nonce.
    #[error("`{0}` is no answer")]
    Garbage(String),
    /// It answers another question.
    #[error("an answer to question {got} came in place of question {wanted}")]
    Order {
        /// The question that was asked.
        wanted: u64,
        /// The one it claims to answer.
        got: u64,
    },
    /// Its nonce is not the question's.
    #[error("the answer to question {0} was made by somebody who had not read it")]
    Nonce(u64),
    /// It lacks what the question asked for.
    #[error("the answer to `{question}` is not what was asked for: {reason}")]
    Content {
        /// The question.
        question: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

/// A child that answered that it could not.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Error)]
#[error("{message}")]
pub struct Refusal {
    /// What kind of fault it was.
    pub kind: RefusalKind,
    /// The exception. Text of the project's own: untrusted.
    pub message: String,
    /// The line of the project's code that raised it.
    pub place: Option<String>,
}

/// Kinds of faults that a child tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// Code of the project raised an exception.
    Raised,
    /// An allocation failed.
    OutOfMemory,
    /// It insists on a device that is not here.
    Unsupported,
    /// A setup or a reference used the kernel, where there is none.
    NeedsKernel,
    /// The kernel left no output.
    NoOutput,
}

impl Sequence {
    /// The first of a conversation.
    pub fn new(random: Random) -> Self {
        Self { last: 0, random }
    }

    /// The line for a question.
    pub fn ask<Q: Question>(&mut self, question: &Q) -> Asked {
        self.last += 1;
        let nonce = format!("{:016x}", self.random.number());
        let mut line = json!({ "id": self.last, "nonce": nonce, "op": Q::NAME });
        // A question is a struct of plain fields, which always becomes an object.
        if let (Ok(Value::Object(fields)), Some(object)) =
            (serde_json::to_value(question), line.as_object_mut())
        {
            object.extend(fields);
        }
        Asked { id: self.last, nonce, line: line.to_string() }
    }
}

impl Asked {
    /// What a line answers.
    pub fn read<Q: Question>(&self, line: &[u8]) -> Result<Result<Q::Answer, Refusal>, Violation> {
        let garbage = || Violation::Garbage(quote(line));
        let value: Value = serde_json::from_slice(line).map_err(|_no_json| garbage())?;
        let id = value.get("id").and_then(Value::as_u64).ok_or_else(garbage)?;
        let nonce = value.get("nonce").and_then(Value::as_str).ok_or_else(garbage)?;
        if id != self.id {
            return Err(Violation::Order { wanted: self.id, got: id });
        }
        if nonce != self.nonce {
            return Err(Violation::Nonce(id));
        }
        let content =
            |error: serde_json::Error| Violation::Content { question: Q::NAME, reason: error.to_string() };
        if value.get("event").and_then(Value::as_str) == Some("error") {
            return Ok(Err(serde_json::from_value(value).map_err(content)?));
        }
        Ok(Ok(serde_json::from_value(value).map_err(content)?))
    }
}

fn quote(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(QUOTED)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Bye, Fill};

    fn asked() -> (Asked, String) {
        let asked = Sequence::new(Random::new(7)).ask(&Bye { variant_path: None });
        let nonce = asked.nonce.clone();
        (asked, nonce)
    }

    #[test]
    fn a_question_carries_its_number_its_nonce_and_its_fields() {
        let asked = Sequence::new(Random::new(7)).ask(&Fill { slot: 2, file: "in.bin".into() });
        let line: Value = serde_json::from_str(&asked.line).expect("JSON");
        assert_eq!((&line["id"], &line["op"], &line["slot"]), (&1.into(), &"fill".into(), &2.into()));
        assert_eq!(line["nonce"].as_str().map(str::len), Some(16));
    }

    #[test]
    fn only_the_answer_to_the_question_is_one() {
        let (asked, nonce) = asked();
        let read = |line: &str| asked.read::<Bye>(line.as_bytes());
        let answer = format!(
            r#"{{"id":1,"nonce":"{nonce}","event":"bye","threads":1,"changed":[],"libraries":[],"modules":[]}}"#
        );
        assert_eq!(read(&answer).expect("valid").expect("an answer").threads, 1);
        assert!(matches!(read("[1000, 1]"), Err(Violation::Garbage(_))));
        assert!(matches!(read(r#"{"id":99,"nonce":"x"}"#), Err(Violation::Order { wanted: 1, got: 99 })));
        assert!(matches!(read(r#"{"id":1,"nonce":"x"}"#), Err(Violation::Nonce(1))));
        let empty = format!(r#"{{"id":1,"nonce":"{nonce}","event":"bye"}}"#);
        assert!(matches!(read(&empty), Err(Violation::Content { question: "bye", .. })));
        let refusal = format!(
            r#"{{"id":1,"nonce":"{nonce}","event":"error","kind":"raised","message":"ValueError: no","place":null}}"#
        );
        let refused = read(&refusal).expect("valid").expect_err("a refusal");
        assert_eq!((refused.kind, refused.message.as_str()), (RefusalKind::Raised, "ValueError: no"));
    }
}
