//! Any state is brought to any other in commits of any size, and no commit on the way shows a file that vouches for
//! others beside files it does not vouch for.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Limits, next};
use crate::hub::{Blob, Tree};
use crate::publish::difference::{difference, is_on_the_way};
use crate::publish::wanted::Wanted;

/// Folders with files of one letter; a folder with `seal` set holds the file that vouches for exactly these contents.
type State = BTreeMap<u8, (BTreeMap<u8, u8>, bool)>;

fn blobs(state: &State) -> BTreeMap<String, Blob> {
    let mut blobs = BTreeMap::new();
    let mut add = |path: String, text: String| {
        blobs.insert(path.clone(), Blob::of_bytes(&path, text.into_bytes()));
    };
    for (folder, (files, seal)) in state {
        for (name, content) in files {
            add(format!("build/{folder}/{name}"), content.to_string());
        }
        if *seal {
            add(format!("build/{folder}/seal"), format!("{files:?}"));
        }
    }
    add("other".to_owned(), "x".to_owned());
    blobs
}

fn tree(state: &State) -> Tree {
    blobs(state).values().map(|blob| (blob.path.clone(), blob.into())).collect()
}

/// Whether every vouching file tells the truth about its folder.
fn is_honest(state: &Tree, all: &[BTreeMap<String, Blob>]) -> bool {
    state.iter().filter(|(path, _)| path.ends_with("/seal")).all(|(path, seal)| {
        let folder = path.trim_end_matches("seal");
        let inside: Vec<_> = state.iter().filter(|(path, _)| path.starts_with(folder)).collect();
        all.iter().any(|blobs| {
            let own: Vec<_> = blobs.iter().filter(|(path, _)| path.starts_with(folder)).collect();
            let same = own.len() == inside.len()
                && own.iter().zip(&inside).all(|((one, blob), (other, file))| {
                    one == other && file.sha256.as_deref() == Some(blob.sha256.as_str())
                });
            same && own
                .iter()
                .any(|(path, blob)| path.ends_with("/seal") && seal.sha256.as_deref() == Some(&blob.sha256))
        })
    })
}

fn states() -> impl Strategy<Value = State> {
    let folder = (proptest::collection::btree_map(0..6_u8, 0..3_u8, 0..6), any::<bool>());
    proptest::collection::btree_map(0..4_u8, folder, 0..4)
}

proptest! {
    #[test]
    fn every_commit_on_the_way_is_honest(before in states(), after in states(), changes in 1..9_usize, bytes in 1..4_u64) {
        let all = [blobs(&before), blobs(&after)];
        let owned: Vec<String> = after.keys().map(|folder| format!("build/{folder}/")).collect();
        let wanted = Wanted {
            files: all[1].clone(),
            owns: Box::new(move |path| owned.iter().any(|folder| path.starts_with(folder))),
            vouches: |path| path.ends_with("/seal"),
        };
        let limits = Limits { changes, bytes };
        let base = tree(&before);
        let mut there = base.clone();
        prop_assert!(is_honest(&there, &all));
        for commits in 0.. {
            let left = difference(&wanted, &there);
            if left.is_empty() {
                break;
            }
            prop_assert!(commits < 200, "it has no end");
            let batch = next(&wanted, &there, &left, limits, &|_| 1);
            prop_assert!(batch.len() > 0 && (batch.len() <= changes.max(2)), "{batch:?}");
            prop_assert!(batch.deletes.iter().all(|path| there.contains_key(path)), "{batch:?}");
            for path in &batch.deletes {
                there.remove(path);
            }
            for path in &batch.puts {
                there.insert(path.clone(), (&wanted.files[path]).into());
            }
            prop_assert!(is_honest(&there, &all), "{there:#?}");
            prop_assert!(there == base || is_on_the_way(&wanted, &base, &there));
        }
        let kept = base.iter().filter(|(path, _)| !(wanted.owns)(path) && !wanted.files.contains_key(*path));
        prop_assert!(kept.into_iter().all(|(path, file)| there.get(path) == Some(file)));
    }

    #[test]
    fn what_fits_is_one_commit(before in states(), after in states()) {
        let wanted = Wanted { files: blobs(&after), owns: Box::new(|_| true), vouches: |path| path.ends_with("/seal") };
        let there = tree(&before);
        let left = difference(&wanted, &there);
        let batch = next(&wanted, &there, &left, Limits::default(), &|_| 1);
        let all = left.added.len() + left.changed.len() + left.removed.len();
        prop_assert_eq!(batch.len(), all);
    }
}
