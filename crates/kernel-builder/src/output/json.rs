//! For programs: one JSON object per line on standard output and nothing else.

use std::sync::Arc;

use kernel_spec::Event;

use super::stream::Stream;

pub(super) struct Json {
    stream: Arc<Stream>,
}

impl Json {
    pub(super) fn new(stream: Arc<Stream>) -> Self {
        Self { stream }
    }

    pub(super) fn event(&self, event: &Event) {
        let mut line = serde_json::to_string(event).expect("events consist of strings, numbers and lists");
        line.push('\n');
        self.stream.write(&line);
    }
}
