//! The hash tables of dynamic symbols: by them alone the loader finds what a library exports, and by them alone anybody can
//! tell how many symbols there are.

use object::elf as raw;
use object::{Endian, Endianness, U32};

use super::super::ImageError;
use super::super::facts::{Machine, Object, text_at};
use super::super::source::{Reader, index};
use super::dynamic::Dynamic;
use super::{Segments, cast_all};

/// Ends of parts of a library, which linkers define themselves.
const MARKS: &[&[u8]] = &[b"__bss_start", b"_edata", b"_end", b"_etext", b"edata", b"end", b"etext"];

/// Where the tables are and how they are written.
pub(super) struct Tables<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) segments: &'a Segments,
    pub(super) dynamic: &'a Dynamic,
    pub(super) machine: Machine,
    pub(super) endian: Endianness,
    pub(super) wide: bool,
}

impl Tables<'_> {
    /// Number of dynamic symbols. The loader never asks for it: it looks up what relocations name and what its hash table
    /// reaches, the GNU one before the classic one. So all three are read, and none may reach further than the classic one
    /// says or the GNU one goes. `named` is the highest symbol that relocations name, and `address` and `entry` are those of
    /// the table of symbols. GNU ld writes an empty GNU table without the true number; then the table of symbols ends where
    /// the next one begins.
    pub(super) fn count(&self, (address, entry): (u64, u64), named: u64) -> Result<u64, ImageError> {
        let (segments, dynamic) = (self.segments, self.dynamic);
        let classic = self
            .start(raw::DT_HASH)?
            .map(|start| self.classic_head(start).map(|(_, count)| count))
            .transpose()?;
        let gnu = self.start(raw::DT_GNU_HASH)?.map(|start| self.gnu_count(start)).transpose()?.flatten();
        if let Some(start) = self.start(raw::DT_HASH)? {
            self.is_closed(start)?;
        }
        if let Some(count) = classic.or(gnu) {
            return if named < count && gnu.is_none_or(|gnu| gnu <= count) {
                Ok(count)
            } else {
                Err(ImageError::Malformed { what: "it has more symbols than its hash table says" })
            };
        }
        let next = dynamic.addresses().filter(|next| *next > address).min();
        let end = segments.table(address)?;
        let room = next.map_or(end.end - end.start, |next| next - address).min(end.end - end.start);
        Ok((room / entry).max(named + 1))
    }

    /// Fails where the classic table leads out of itself: the loader follows it at every lookup, also of names of others.
    fn is_closed(&self, start: u64) -> Result<(), ImageError> {
        let (buckets, count) = self.classic_head(start)?;
        let size = self.classic_size();
        let words = start.saturating_add(2 * size);
        let end = words.saturating_add(buckets.saturating_add(count).saturating_mul(size));
        let mut is_closed = true;
        self.reader.walk("a hash table", words..end, (size, 0), |piece, _, _| {
            is_closed &= piece.chunks_exact(index(size)).all(|word| {
                let number = match (<[u8; 4]>::try_from(word), <[u8; 8]>::try_from(word)) {
                    (Ok(word), _) => self.endian.read_u32(word).into(),
                    (_, Ok(word)) => self.endian.read_u64(word),
                    _ => 0,
                };
                number < count
            });
            Ok(is_closed)
        })?;
        is_closed.then_some(()).ok_or(ImageError::Malformed { what: "its hash table leads out of itself" })
    }

    /// Fails where the loader would not find a name that the library exports: in the GNU table if there is one, otherwise
    /// in the classic one.
    pub(super) fn find_all(&self, object: &Object) -> Result<(), ImageError> {
        if let Some(start) = self.start(raw::DT_GNU_HASH)? {
            // The loader looks at the head of every library's, whatever that exports, and asserts this (`_dl_setup_hash`).
            let [_, _, words, _] = self.head(start)?;
            if !words.is_power_of_two() {
                return Err(ImageError::Malformed {
                    what: "the filter of its hash table has an impossible size",
                });
            }
        }
        // GNU ld leaves marks of its own out of the table where another library has them, too.
        let exported = (1..).zip(&object.records).filter(|(_, record)| record.is_exported());
        let names = exported.map(|(at, record)| (at, text_at(&object.strings, record.name)));
        let mut names = names.filter(|(_, name)| !MARKS.contains(name)).peekable();
        if names.peek().is_none() {
            return Ok(());
        }
        let found = if let Some(start) = self.start(raw::DT_GNU_HASH)? {
            self.gnu_finds(start, names)?
        } else if let Some(start) = self.start(raw::DT_HASH)? {
            self.classic_finds(start, names)?
        } else {
            false
        };
        let what =
            "its hash table does not lead to the names that it exports, so the loader does not find them";
        found.then_some(()).ok_or(ImageError::Malformed { what })
    }

    fn start(&self, tag: raw::DynamicTag) -> Result<Option<u64>, ImageError> {
        let address = self.dynamic.get(tag);
        Ok(address.map(|address| self.segments.table(address)).transpose()?.map(|place| place.start))
    }

    /// Size of a number of the classic table: that of a word, except on this one processor.
    fn classic_size(&self) -> u64 {
        if self.machine == Machine::S390x { 8 } else { 4 }
    }

    fn numbers(&self, at: u64, count: u64, size: u64) -> Result<Numbers, ImageError> {
        let bytes = self.reader.bytes("a hash table", at, count.saturating_mul(size))?;
        Ok(Numbers { bytes, size: index(size), endian: self.endian })
    }

    /// The first words of a table.
    fn head<const N: usize>(&self, start: u64) -> Result<[u64; N], ImageError> {
        let numbers = self.numbers(start, N as u64, 4)?;
        Ok(std::array::from_fn(|at| numbers.get(at as u64).unwrap_or(0)))
    }

    fn classic_head(&self, start: u64) -> Result<(u64, u64), ImageError> {
        let numbers = self.numbers(start, 2, self.classic_size())?;
        Ok((numbers.get(0).unwrap_or(0), numbers.get(1).unwrap_or(0)))
    }

    fn gnu_count(&self, start: u64) -> Result<Option<u64>, ImageError> {
        let what = "the GNU hash table";
        let [buckets, first, bloom, _] = self.head(start)?;
        let bloom = bloom * self.pointer();
        let start = start.saturating_add(16 + bloom);
        let chains = start.saturating_add(buckets * 4);
        let mut last = 0;
        self.reader.walk(what, start..chains, (4, 0), |piece, _, _| {
            let highest =
                cast_all::<U32<Endianness>>(piece).iter().map(|bucket| bucket.get(self.endian)).max();
            last = last.max(highest.unwrap_or(0).into());
            // A bucket of none is zero; one before the first would lead out of the table.
            let is_before = |bucket: &U32<Endianness>| (1..first).contains(&bucket.get(self.endian).into());
            let is_sound = !cast_all::<U32<Endianness>>(piece).iter().any(is_before);
            is_sound
                .then_some(true)
                .ok_or(ImageError::Malformed { what: "its hash table leads out of itself" })
        })?;
        if last < first || last == 0 {
            return Ok(None);
        }
        let mut ended = false;
        let rest = chains.saturating_add((last - first) * 4)..self.reader.size();
        self.reader.walk(what, rest, (4, 0), |piece, _, _| {
            for word in cast_all::<U32<Endianness>>(piece) {
                last += 1;
                if word.get(self.endian) & 1 == 1 {
                    ended = true;
                    break;
                }
            }
            Ok(!ended)
        })?;
        ended.then_some(Some(last)).ok_or(ImageError::Malformed { what: "its hash table has no end" })
    }

    /// Size of the words of the filter in front of the GNU table.
    fn pointer(&self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    /// A lookup begins at the bucket of the name's hash, and goes on to the end mark of the run of symbols there.
    fn gnu_finds<'n>(
        &self,
        start: u64,
        mut names: impl Iterator<Item = (u64, &'n [u8])>,
    ) -> Result<bool, ImageError> {
        let Some(count) = self.gnu_count(start)? else { return Ok(false) };
        let [buckets, first, words, shift] = self.head(start)?;
        if buckets == 0 || first > count {
            return Ok(false);
        }
        let filter_at = start + 16;
        let buckets_at = filter_at.saturating_add(words * self.pointer());
        let filter = self.numbers(filter_at, words, self.pointer())?;
        let heads = self.numbers(buckets_at, buckets, 4)?;
        let chains = self.numbers(buckets_at.saturating_add(buckets * 4), count - first, 4)?;
        self.reader.spend((count - first) * size_of::<u32>() as u64)?;
        let mut begins: Vec<u32> = Vec::with_capacity(index(count - first));
        let mut begin = u32::try_from(first).unwrap_or(u32::MAX);
        for at in 0..count - first {
            begins.push(begin);
            if chains.get(at).is_some_and(|hash| hash & 1 == 1) {
                begin = u32::try_from(first + at + 1).unwrap_or(u32::MAX);
            }
        }
        let bits = self.pointer() * 8;
        Ok(names.all(|(at, name)| {
            let hash = u64::from(gnu_hash(name));
            let Some(place) = at.checked_sub(first) else { return false };
            let word = filter.get((hash / bits) & (words - 1)).unwrap_or(0);
            let is_let_through =
                [hash, hash.checked_shr(u32::try_from(shift).unwrap_or(u32::MAX)).unwrap_or(0)]
                    .iter()
                    .all(|hash| word >> (hash % bits) & 1 == 1);
            let head = heads.get(hash % buckets).unwrap_or(0);
            let is_named = chains.get(place).is_some_and(|own| own | 1 == hash | 1);
            let is_reached =
                begins.get(index(place)).is_some_and(|begin| (u64::from(*begin)..=at).contains(&head));
            is_let_through && is_named && is_reached && head != 0
        }))
    }

    fn classic_finds<'n>(
        &self,
        start: u64,
        mut names: impl Iterator<Item = (u64, &'n [u8])>,
    ) -> Result<bool, ImageError> {
        let (buckets, count) = self.classic_head(start)?;
        let size = self.classic_size();
        let heads = self.numbers(start.saturating_add(2 * size), buckets, size)?;
        let chains_at = start.saturating_add(2 * size).saturating_add(buckets.saturating_mul(size));
        let chains = self.numbers(chains_at, count, size)?;
        // Which bucket leads to a symbol; none leads to two, or in a circle, in a table that is right.
        self.reader.spend(count.saturating_mul(size_of::<u64>() as u64))?;
        let mut owners = vec![u64::MAX; index(count)];
        for bucket in 0..buckets {
            let mut at = heads.get(bucket).unwrap_or(0);
            while let Some(owner) = owners.get_mut(index(at)).filter(|owner| at != 0 && **owner == u64::MAX) {
                *owner = bucket;
                at = chains.get(at).unwrap_or(0);
            }
            // The loader would go on for ever, after a name that is not there.
            if at != 0 && at < count {
                return Err(ImageError::Malformed {
                    what: "its hash table leads out of itself or runs in a circle",
                });
            }
        }
        let finds = |(at, name): (u64, &[u8])| {
            buckets != 0 && owners.get(index(at)) == Some(&(u64::from(classic_hash(name)) % buckets))
        };
        Ok(names.all(finds))
    }
}

/// Numbers of one size, as the file has them.
struct Numbers {
    bytes: Vec<u8>,
    size: usize,
    endian: Endianness,
}

impl Numbers {
    fn get(&self, at: u64) -> Option<u64> {
        let start = index(at).checked_mul(self.size)?;
        let bytes = self.bytes.get(start..start.checked_add(self.size)?)?;
        Some(match self.size {
            8 => self.endian.read_u64(bytes.try_into().ok()?),
            _ => self.endian.read_u32(bytes.try_into().ok()?).into(),
        })
    }
}

/// The hash of the GNU table: Bernstein's, times 33.
fn gnu_hash(name: &[u8]) -> u32 {
    name.iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add((*byte).into()))
}

/// The hash of the classic table and of versions (System V ABI, "Hash Table").
pub(super) fn classic_hash(name: &[u8]) -> u32 {
    let hash = name.iter().fold(0_u32, |hash, byte| {
        let hash = (hash << 4).wrapping_add((*byte).into());
        (hash ^ (hash >> 24 & 0xf0)) & 0x0fff_ffff
    });
    hash & 0x0fff_ffff
}
