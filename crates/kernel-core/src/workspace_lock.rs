//! One build at a time in one project. The lock is the operating system's, held by an open file: however its holder
//! ends, it is free again as soon as its children have ended too, and nothing has to be cleaned up by the next one. The
//! file's text only names the holder.

use std::io::{Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::event::Stage;
use kernel_spec::{Event, Finding, code};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::{Context, Error, Result};

/// Directory of a project in which builds keep their state.
pub const DIRECTORY: &str = ".kernel-builder";

/// What keeps the state directory out of git.
pub const IGNORE: &str = ".gitignore";

/// All that stands in it.
pub const IGNORED: &[u8] = b"*\n";

/// How often to ask whether the lock is free.
const INTERVAL: Duration = Duration::from_millis(50);

/// The right to build in a project; dropping it gives it back.
#[derive(Debug)]
pub struct WorkspaceLock {
    directory: Utf8PathBuf,
    _file: fs_err::File,
}

impl WorkspaceLock {
    /// Takes the lock of a project, and makes its state directory. Waits while another process holds it, and says so
    /// once; an interruption ends the wait.
    pub fn acquire(context: &Context, project: &Utf8Path) -> Result<Self> {
        let directory = project.join(DIRECTORY);
        let path = directory.join("lock");
        let mut file = open(&path)?;
        let mut said = false;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) if is_at(&file, &path) => break,
                // `clean` removed the file while it was waited for: a lock on it would exclude nobody.
                Ok(()) => file = open(&path)?,
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => {
                    if context.cancelled.is_cancelled() {
                        return Err(Error::Interrupted);
                    }
                    if !said {
                        said = true;
                        context.sink.event(&waiting(&mut file));
                    }
                    std::thread::sleep(INTERVAL);
                }
                Err(error) => {
                    // Some network file systems have no locks; that must not keep anybody from building.
                    context.sink.event(&Event::Finding(unlockable(&path, error)));
                    break;
                }
            }
        }
        file.rewind()?;
        file.set_len(0)?;
        write!(file, "{}", std::process::id())?;
        Ok(Self { directory, _file: file })
    }

    /// The project's state directory.
    pub fn directory(&self) -> &Utf8Path {
        &self.directory
    }
}

/// Opens the lock's file, and makes it and its directory where they are missing.
fn open(path: &Utf8Path) -> Result<fs_err::File> {
    if let Some(directory) = path.parent() {
        fs_err::create_dir_all(directory)?;
        let ignore = directory.join(IGNORE);
        if !ignore.exists() {
            fs_err::write(ignore, IGNORED)?;
        }
    }
    let file = fs_err::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    // Children inherit the lock: what a killed build has left running may still write, and holds it until it ends.
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).map_err(std::io::Error::from)?;
    Ok(file)
}

/// Whether an open file is still the one of this path.
fn is_at(file: &fs_err::File, path: &Utf8Path) -> bool {
    let number = |file: std::fs::Metadata| (file.dev(), file.ino());
    let here = file.metadata().ok().map(number);
    here.is_some() && here == fs_err::metadata(path).ok().map(number)
}

fn waiting(file: &mut fs_err::File) -> Event {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    let message = match text.trim().parse::<u32>() {
        Ok(pid) if read.is_ok() && has_ended(pid) => {
            format!("waiting for what process {pid} left running in this project when it was killed")
        }
        Ok(pid) if read.is_ok() => format!("waiting for process {pid}, which builds in this project"),
        _ => "waiting for another process, which builds in this project".to_owned(),
    };
    Event::Stage { stage: Stage::Wait, variant: None, message }
}

fn has_ended(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

fn unlockable(path: &Utf8Path, error: Errno) -> Finding {
    Finding::warning(&code::environment::NO_LOCK, format!("`{path}` cannot be locked"))
        .cause(std::io::Error::from(error).to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::context::{Cancellation, Environment};

    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<Event>>>);

    impl kernel_spec::Sink for Heard {
        fn event(&self, event: &Event) {
            self.0.lock().expect("no panic").push(event.clone());
        }
    }

    fn context(heard: &Heard) -> Context {
        Context {
            sink: std::sync::Arc::new(heard.clone()),
            environment: Environment::default(),
            working_directory: "/".into(),
            now: 0,
            source_date: 0,
            offline: true,
            cancelled: Cancellation::default(),
        }
    }

    #[test]
    fn the_second_waits_and_names_the_first() {
        let directory = tempfile::tempdir().expect("a directory");
        let project = Utf8Path::from_path(directory.path()).expect("UTF-8");
        let heard = Heard::default();
        let first = WorkspaceLock::acquire(&context(&heard), project).expect("free");
        assert!(heard.0.lock().expect("no panic").is_empty());
        let second = std::thread::scope(|scope| {
            let second = scope.spawn(|| WorkspaceLock::acquire(&context(&heard), project));
            while heard.0.lock().expect("no panic").is_empty() {
                std::thread::sleep(INTERVAL);
            }
            assert!(!second.is_finished());
            drop(first);
            second.join().expect("no panic")
        });
        second.expect("free again");
        let heard = heard.0.lock().expect("no panic");
        let expected = format!("waiting for process {}, which builds in this project", std::process::id());
        assert!(
            matches!(&heard[..], [Event::Stage { stage: Stage::Wait, message, .. }] if *message == expected)
        );
    }

    #[test]
    fn a_lock_whose_file_was_removed_excludes_nobody_and_is_taken_anew() {
        let directory = tempfile::tempdir().expect("a directory");
        let project = Utf8Path::from_path(directory.path()).expect("UTF-8");
        let heard = Heard::default();
        let first = WorkspaceLock::acquire(&context(&heard), project).expect("free");
        std::thread::scope(|scope| {
            let second = scope.spawn(|| WorkspaceLock::acquire(&context(&heard), project));
            while heard.0.lock().expect("no panic").is_empty() {
                std::thread::sleep(INTERVAL);
            }
            fs_err::remove_dir_all(project.join(DIRECTORY)).expect("removed");
            drop(first);
            let second = second.join().expect("no panic").expect("free again");
            let third = fs_err::File::open(second.directory().join("lock")).expect("the file is back");
            let locked = flock(&third, FlockOperation::NonBlockingLockExclusive);
            assert_eq!(locked, Err(Errno::WOULDBLOCK), "the second holds the lock of the file in place");
        });
    }

    #[test]
    fn an_interruption_ends_the_wait() {
        let directory = tempfile::tempdir().expect("a directory");
        let project = Utf8Path::from_path(directory.path()).expect("UTF-8");
        let _first = WorkspaceLock::acquire(&context(&Heard::default()), project).expect("free");
        let context = context(&Heard::default());
        context.cancelled.cancel();
        let error = WorkspaceLock::acquire(&context, project).expect_err("held");
        assert!(matches!(error, Error::Interrupted), "{error}");
    }

    #[test]
    fn a_file_left_by_a_dead_holder_is_no_lock() {
        let directory = tempfile::tempdir().expect("a directory");
        let project = Utf8Path::from_path(directory.path()).expect("UTF-8");
        fs_err::create_dir_all(project.join(DIRECTORY)).expect("made");
        fs_err::write(project.join(DIRECTORY).join("lock"), "4194304999").expect("written");
        let heard = Heard::default();
        let lock = WorkspaceLock::acquire(&context(&heard), project).expect("free");
        assert!(heard.0.lock().expect("no panic").is_empty());
        let text = fs_err::read_to_string(lock.directory().join("lock")).expect("read");
        assert_eq!(text, std::process::id().to_string());
    }
}
