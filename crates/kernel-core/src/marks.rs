//! A part of a text that stands between two marks, each alone on its line. A mark inside a line is somebody's quotation.

use std::fmt;
use std::ops::Range;

/// The lines that begin and end a part.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// Begins it.
    pub begin: &'static str,
    /// Ends it.
    pub end: &'static str,
}

/// Where a part is, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// With the two lines of its marks.
    pub whole: Range<usize>,
    /// Without them.
    pub inside: Range<usize>,
}

/// The numbers of the lines that are marks, from one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    begins: Vec<usize>,
    ends: Vec<usize>,
}

impl Marks {
    /// The part; none where there is no mark. An error names the lines of marks that are not one beginning before one end.
    pub fn find(&self, text: &str) -> Result<Option<Part>, Lines> {
        let (begins, ends) = self.places(text);
        match (begins.as_slice(), ends.as_slice()) {
            ([], []) => Ok(None),
            ([(_, begin)], [(_, end)]) if begin.start < end.start => {
                Ok(Some(Part { whole: begin.start..end.end, inside: begin.end..end.start }))
            }
            _ => Err(Lines { begins: numbers(&begins), ends: numbers(&ends) }),
        }
    }

    /// All lines that are marks.
    pub fn lines(&self, text: &str) -> Lines {
        let (begins, ends) = self.places(text);
        Lines { begins: numbers(&begins), ends: numbers(&ends) }
    }

    /// Whether a mark is anywhere, inside a line too.
    pub fn are_quoted(&self, text: &str) -> bool {
        text.contains(self.begin) || text.contains(self.end)
    }

    fn places(&self, text: &str) -> (Vec<Place>, Vec<Place>) {
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            let place = (number, at..at + line.len());
            at += line.len();
            let line = line.trim();
            if line == self.begin {
                begins.push(place);
            } else if line == self.end {
                ends.push(place);
            }
        }
        (begins, ends)
    }
}

/// A line: its number, and its bytes with its end.
type Place = (usize, Range<usize>);

fn numbers(places: &[Place]) -> Vec<usize> {
    places.iter().map(|(number, _)| *number).collect()
}

impl Lines {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.begins.is_empty() && self.ends.is_empty()
    }

    /// The same lines in a text that has so many more before.
    #[must_use]
    pub fn after(mut self, lines: usize) -> Self {
        self.begins.iter_mut().chain(&mut self.ends).for_each(|line| *line += lines);
        self
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |lines: &[usize]| match lines {
            [] => "no line".to_owned(),
            [line] => format!("line {line}"),
            lines => format!("lines {}", lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
        };
        write!(formatter, "{} begins, and {} ends", named(&self.begins), named(&self.ends))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks = Marks { begin: "<begin>", end: "<end>" };

    #[test]
    fn only_whole_lines_in_order_make_a_part() {
        let text = "a `<end>` b\n<begin>\r\ninside <begin>\n<end> \nafter <begin>\n";
        let part = MARKS.find(text).expect("sound").expect("a part");
        assert_eq!(&text[part.inside.clone()], "inside <begin>\n");
        assert_eq!(&text[part.whole.end..], "after <begin>\n");
        assert_eq!(MARKS.find("see <begin> and <end>\n"), Ok(None));
        for (text, told) in [
            ("<begin>\n", "line 1 begins, and no line ends"),
            ("\n<end>\n<begin>\n", "line 3 begins, and line 2 ends"),
            ("<begin>\n<begin>\n<end>", "lines 1, 2 begins, and line 3 ends"),
        ] {
            assert_eq!(MARKS.find(text).expect_err("torn").to_string(), told);
        }
        assert_eq!(MARKS.lines("<end>").after(4).to_string(), "no line begins, and line 5 ends");
    }
}
