//! Embedded GPU code of every kind, in the form in which the GPU run times find it, against what a variant promises.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;

use kernel_abi::Policy;
use kernel_abi::image::{GpuKind, Image};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::planted::{Plant, build, policy, verdict};
use crate::workshop::Workshop;

/// What no judge may look at: it lies inside the code of a GPU.
const UNSEEN: &str = "/nix/store/abc-inside-gpu-code/x";

/// Assembly that makes a blob of code behind a name, in a section of its own.
fn blob(section: &str, name: &str, lines: &str) -> String {
    let lines: String =
        lines.lines().map(|line| format!("\"{}\\n\"\n", line.trim().replace('"', "\\\""))).collect();
    format!(
        "__asm__(\".section {section},\\\"a\\\",@progbits\\n.p2align 4\\n.hidden {name}\\n.globl {name}\\n{name}:\\n\"\n{lines}\
         \".hidden {name}_end\\n.globl {name}_end\\n{name}_end:\\n.previous\\n\");\n\
         extern const char {name}[] __attribute__((visibility(\"hidden\")));\n\
         extern const char {name}_end[] __attribute__((visibility(\"hidden\")));\n"
    )
}

/// The record that a run time is given at start.
fn record(section: &str, name: &str, (magic, version): (u32, u32)) -> String {
    format!(
        "static struct {{ unsigned magic, version; const void *code; void *unused; }} {name}_record\n\
         __attribute__((used, section(\"{section}\"))) = {{ {magic:#x}, {version}, {name}, 0 }};\n"
    )
}

/// Code for HIP: one bundle for each list of targets.
fn hip(bundles: &[&[&str]]) -> String {
    let mut source = String::new();
    for (number, targets) in bundles.iter().enumerate() {
        let names: Vec<String> = ["host-x86_64-unknown-linux-gnu-".to_owned()]
            .into_iter()
            .chain(targets.iter().map(|target| format!("hipv4-amdgcn-amd-amdhsa--{target}")))
            .collect();
        let mut lines = format!(".ascii \"__CLANG_OFFLOAD_BUNDLE__\"\n.quad {}\n", names.len());
        for (index, name) in names.iter().enumerate() {
            let size = if index == 0 { 0 } else { 64 };
            let _ = writeln!(lines, ".quad {}, {size}, {}\n.ascii \"{name}\"", 4096 + 64 * index, name.len());
        }
        let _ = writeln!(
            lines,
            ".org 4096 + 64 * {}\n.asciz \"{UNSEEN}\"\n.org 4096 + 64 * {}",
            names.len() - 1,
            names.len()
        );
        let (name, section) = (format!("bundle{number}"), format!(".hip_fatbin{number}"));
        source += &blob(&section, &name, &lines.replace(".org ", &format!(".org {name} + ")));
        source += &record(".hipFatBinSegment", &name, (0x4849_5046, 1));
    }
    source
}

/// How a compressed bundle is packed.
#[derive(Clone, Copy, Debug)]
enum Packing {
    Zlib,
    Zstandard,
    /// Zstandard that stores its blocks as they are: what lies in them can be seen.
    Stored,
    /// A method that no clang writes.
    Unknown,
    /// Zstandard, with bytes changed.
    Damaged,
}

/// A compressed bundle of one of the versions that clang writes.
fn compressed(version: u16, packing: Packing, targets: &[&str]) -> String {
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend((targets.len() as u64).to_le_bytes());
    for (index, target) in targets.iter().enumerate() {
        let name = format!("hipv4-amdgcn-amd-amdhsa--{target}");
        for number in [4096 + 70_000 * index, 70_000, name.len()] {
            bundle.extend((number as u64).to_le_bytes());
        }
        bundle.extend(name.bytes());
    }
    bundle.resize(4096, 0);
    bundle.extend(UNSEEN.bytes().chain([0]));
    bundle.resize(4096 + 70_000 * targets.len(), 7);
    let (method, mut packed) = match packing {
        Packing::Zlib => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&bundle).expect("memory takes it");
            (0, encoder.finish().expect("memory takes it"))
        }
        Packing::Zstandard | Packing::Damaged => {
            (1, compress_to_vec(bundle.as_slice(), CompressionLevel::Fastest))
        }
        Packing::Stored => (1, compress_to_vec(bundle.as_slice(), CompressionLevel::Uncompressed)),
        Packing::Unknown => (7, bundle.clone()),
    };
    if matches!(packing, Packing::Damaged) {
        packed[8..40].fill(0xff);
    }
    let (whole, unpacked) = (packed.len(), bundle.len());
    let sizes = match version {
        1 => format!(".long {unpacked}"),
        2 => format!(".long {}, {unpacked}", whole + 24),
        _ => format!(".quad {}, {unpacked}", whole + 32),
    };
    let bytes: Vec<String> = packed.iter().map(u8::to_string).collect();
    let bytes: String = bytes.chunks(64).map(|line| format!(".byte {}\n", line.join(","))).collect();
    let lines = format!(".ascii \"CCOB\"\n.short {version}, {method}\n{sizes}\n.quad 7\n{bytes}");
    blob(".hip_fatbin", "bundle", &lines) + &record(".hipFatBinSegment", "bundle", (0x4849_5046, 1))
}

/// One entry of a CUDA fat binary: its kind (2 is machine code, 1 PTX), architecture and flags.
type Entry = (u16, u32, u32);

/// A CUDA fat binary in one of the sections that nvcc uses, behind a record of this version.
fn cuda(section: &str, name: &str, version: u32, entries: &[Entry]) -> String {
    let mut lines = format!(".long 0xba55ed50\n.short 1, 16\n.quad {}\n", entries.len() * 128);
    for (kind, architecture, flags) in entries {
        let _ = writeln!(
            lines,
            ".short {kind}, 0x101\n.long 64\n.quad 64\n.long 0, 0, 0, {architecture}, 0, 0, {flags}, 0, 0, 0, 0, 0"
        );
        let _ = writeln!(lines, ".asciz \"{UNSEEN}\"\n.zero {}", 63 - UNSEEN.len());
    }
    blob(section, name, &lines) + &record(".nvFatBinSegment", name, (0x4662_43b1, version))
}

/// A SYCL image: its record has the pointers to a manifest up to version 2.
fn sycl(version: u16, target: &str) -> String {
    let lines = format!(".asciz \"{UNSEEN}\"\n.zero 64");
    let manifest = if version < 3 { "0, 0, " } else { "" };
    blob(".sycl_image", "image", &lines)
        + &format!(
            "static struct {{ unsigned short version; unsigned char kind, format; const char *target; const void *rest[10]; }}\n\
             image_record __attribute__((used)) = {{ {version}, 4, 2, \"{target}\", {{ \"\", \"\", {manifest}image, image_end }} }};\n"
        )
}

fn library(workshop: &Workshop, source: &str) -> Vec<u8> {
    build(workshop, &Plant { name: "", source, flags: &[], codes: &[] })
}

/// The code that a library contains.
fn found(bytes: &[u8]) -> Vec<(GpuKind, String)> {
    let image = Image::parse(&bytes).expect("a library");
    assert!(image.objects[0].marks.is_empty(), "GPU code was read: {:?}", image.objects[0].marks);
    image.objects[0].gpu.iter().map(|code| (code.kind, code.architecture.clone())).collect()
}

const CUDA: &str = "torch213-cxx11-cu130-x86_64-linux";
const ROCM: &str = "torch213-cxx11-rocm72-x86_64-linux";
const XPU: &str = "torch213-cxx11-xpu20260-x86_64-linux";
const CPU: &str = "torch213-cxx11-cpu-x86_64-linux";

/// The codes for a library of which a variant's metadata promises these architectures.
fn judge(workshop: &Workshop, source: &str, variant: &str, promised: Option<&[&str]>) -> Vec<String> {
    judge_library(workshop, &library(workshop, source), variant, promised)
}

fn judge_library(workshop: &Workshop, bytes: &[u8], variant: &str, promised: Option<&[&str]>) -> Vec<String> {
    let gpu = promised.map(|promised| promised.iter().map(|&arch| arch.to_owned()).collect());
    verdict(workshop, bytes, &Policy { gpu, ..policy(variant) }).into_iter().collect()
}

const BAD: &[&str] = &["abi/gpu-architecture"];
const DOUBTFUL: &[&str] = &["abi/gpu-architecture?"];
const GOOD: &[&str] = &[];

#[test]
fn cuda_code_is_read_in_every_form_and_compared() {
    let workshop = Workshop::new();
    let whole =
        cuda(".nv_fatbin", "whole", 1, &[(2, 80, 0), (2, 90, 1 << 20), (2, 100, 1 << 21), (1, 90, 0)]);
    let cubin = |arch: &str| (GpuKind::Cubin, arch.to_owned());
    let wanted = [cubin("sm_100f"), cubin("sm_80"), cubin("sm_90a"), (GpuKind::Ptx, "compute_90".to_owned())];
    assert_eq!(found(&library(&workshop, &whole)), wanted);
    // What `nvcc -rdc=true` leaves lies in a section of its own.
    let both = cuda(".nv_fatbin", "both", 1, &[(2, 90, 0), (1, 90, 0)]);
    let parts =
        cuda("__nv_relfatbin", "part", 2, &[(2, 80, 0)]) + &cuda(".nv_fatbin", "linked", 1, &[(2, 90, 0)]);
    assert_eq!(found(&library(&workshop, &parts)), [cubin("sm_80"), cubin("sm_90")]);
    for (source, promised, wanted) in [
        (&whole, &["8.0", "9.0a", "9.0+PTX", "10.0f"][..], GOOD),
        (&whole, &["8.0", "9.0a", "9.0+PTX", "10.0f", "12.0"], BAD),
        (&whole, &["8.0", "9.0", "9.0+PTX", "10.0f"], BAD),
        (&whole, &["8.0", "9.0a"], DOUBTFUL),
        // PTX beside machine code takes nothing away from it.
        (&both, &["9.0+PTX"], GOOD),
        (&both, &["9.0"], DOUBTFUL),
        (&both, &["9.0a"], BAD),
        (&parts, &["8.0", "9.0"], GOOD),
        (&parts, &["8.0+PTX", "9.0"], BAD),
        (&String::new(), &["8.0"], BAD),
        (&String::new(), &[], GOOD),
    ] {
        assert_eq!(judge(&workshop, source, CUDA, Some(promised)), wanted, "{promised:?}");
    }
}

#[test]
fn cuda_code_of_unknown_kinds_hides_nothing_behind_it() {
    let workshop = Workshop::new();
    let source = cuda(".nv_fatbin", "code", 1, &[(16, 90, 0), (2, 80, 0), (8, 90, 0), (1, 90, 0)]);
    let wanted = [
        (GpuKind::Cubin, "sm_80".to_owned()),
        (GpuKind::Ptx, "compute_90".to_owned()),
        (GpuKind::Unknown, "sm_90".to_owned()),
        (GpuKind::Unknown, "sm_90".to_owned()),
    ];
    assert_eq!(found(&library(&workshop, &source)), wanted);
    assert_eq!(judge(&workshop, &source, CUDA, Some(&["8.0", "9.0+PTX"])), DOUBTFUL, "a note");
    assert_eq!(judge(&workshop, &source, CUDA, Some(&["9.0+PTX"])), DOUBTFUL);
    let bad = ["abi/gpu-architecture", "abi/gpu-architecture?"];
    assert_eq!(judge(&workshop, &source, CUDA, Some(&["9.0", "8.0"])), bad, "unknown code is none for 9.0");
}

/// An entry of a list that has no bytes promises nothing.
#[test]
fn entries_without_bytes_are_no_code() {
    let workshop = Workshop::new();
    let emptied = |source: &str, from: &str, to: &str| {
        assert!(source.contains(from), "{source}");
        let bytes = library(&workshop, &source.replacen(from, to, 1));
        // What its list does not reach any more is read as other data is.
        Image::parse(&bytes.as_slice()).expect("a library").objects[0].gpu.clone()
    };
    let source = cuda(".nv_fatbin", "code", 1, &[(2, 80, 0)]);
    // A header of all 128 bytes, and none behind it.
    assert_eq!(emptied(&source, ".long 64\\n\"\n\".quad 64", ".long 128\\n\"\n\".quad 0"), []);
    let source = hip(&[&["gfx90a"]]);
    assert_eq!(emptied(&source, "4160, 64,", "4160, 64,").len(), 1);
    assert_eq!(emptied(&source, "4160, 64,", "4160, 0,"), []);
}

/// The list of a fat binary against the code itself: the header of its ELF file names the chip too.
#[test]
fn cuda_code_that_is_not_what_its_list_says_is_found() {
    let workshop = Workshop::new();
    let good = library(&workshop, &cuda(".nv_fatbin", "code", 1, &[(2, 80, 0), (2, 90, 1 << 20)]));
    let find = |text: &[u8]| good.windows(text.len()).position(|window| window == text).expect("it is there");
    let (list, code) = (find(&0xba55_ed50_u32.to_le_bytes()), find(UNSEEN.as_bytes()));
    let with = |abi: u8, flags: u32, machine: u8| {
        let mut bytes = good.clone();
        bytes[code..code + 64].fill(0);
        bytes[code..code + 9].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0x33, abi]);
        bytes[code + 18] = machine;
        bytes[code + 48..code + 52].copy_from_slice(&flags.to_le_bytes());
        Image::parse(&bytes.as_slice()).is_ok()
    };
    for (abi, flags, machine, is_good) in [
        (7, 0x50_0550, 190, true),
        (8, 0x600_5004, 190, true),
        (7, 0x5a_055a, 190, false),
        (8, 0x600_5a04, 190, false),
        (9, 0x600_5a04, 190, true),
        (8, 0x600_5a04, 62, true),
    ] {
        assert_eq!(with(abi, flags, machine), is_good, "{abi} {flags:#x} {machine}");
    }
    let mut long = good.clone();
    long[list + 16 + 8] = 0xff;
    let error = Image::parse(&long.as_slice()).expect_err("more code than there is");
    assert!(error.to_string().contains("beyond its end"), "{error}");
}

#[test]
fn hip_bundles_are_read_and_compared() {
    let workshop = Workshop::new();
    let two = hip(&[&["gfx90a", "gfx942:sramecc+:xnack-"], &["gfx1030", "gfx90a"]]);
    let found = found(&library(&workshop, &two));
    let names: Vec<&str> = found
        .iter()
        .map(|(kind, arch)| {
            assert_eq!(*kind, GpuKind::Hip);
            arch.as_str()
        })
        .collect();
    assert_eq!(names, ["gfx1030", "gfx90a", "gfx90a", "gfx942:sramecc+:xnack-"]);
    for (promised, wanted) in [
        (Some(&["gfx1030", "gfx90a", "gfx942"][..]), GOOD),
        (Some(&["gfx1030", "gfx90a", "gfx942", "gfx1201"]), BAD),
        (Some(&["gfx1030", "gfx90a"]), DOUBTFUL),
        (None, GOOD),
    ] {
        assert_eq!(judge(&workshop, &two, ROCM, promised), wanted, "{promised:?}");
    }
}

#[test]
fn compressed_hip_bundles_are_unpacked_and_compared() {
    let workshop = Workshop::new();
    let targets = ["gfx90a", "gfx942:sramecc+:xnack-"];
    for version in [1, 2, 3] {
        for packing in [Packing::Zlib, Packing::Zstandard, Packing::Stored] {
            let library = library(&workshop, &compressed(version, packing, &targets));
            let found = found(&library);
            let wanted = targets.map(|target| (GpuKind::Hip, target.to_owned()));
            assert_eq!(found, wanted, "{version} {packing:?}");
            for (promised, wanted) in [
                (Some(&["gfx90a", "gfx942"][..]), GOOD),
                (Some(&["gfx90a", "gfx942", "gfx1201"]), BAD),
                (Some(&["gfx90a"]), DOUBTFUL),
                (None, GOOD),
            ] {
                assert_eq!(
                    judge_library(&workshop, &library, ROCM, promised),
                    wanted,
                    "{version} {packing:?} {promised:?}"
                );
            }
            assert_eq!(judge_library(&workshop, &library, CUDA, None), DOUBTFUL, "{version} {packing:?}");
        }
    }
}

/// A note: what the metadata promises can be neither shown nor refuted.
#[test]
fn bundles_packed_in_an_unknown_way_are_told_apart() {
    let workshop = Workshop::new();
    let sources =
        [compressed(3, Packing::Unknown, &["gfx90a"]), compressed(4, Packing::Zstandard, &["gfx90a"])];
    for source in sources {
        assert_eq!(found(&library(&workshop, &source)), [(GpuKind::Hip, "compressed".to_owned())]);
        assert_eq!(judge(&workshop, &source, ROCM, Some(&["gfx90a"])), DOUBTFUL);
        assert_eq!(judge(&workshop, &source, ROCM, None), GOOD);
    }
    let damaged = library(&workshop, &compressed(3, Packing::Damaged, &["gfx90a"]));
    let error = Image::parse(&damaged.as_slice()).expect_err("the run time could not unpack it either");
    assert_eq!(error.to_string(), "the file is damaged: a compressed HIP bundle cannot be unpacked");
}

#[test]
fn sycl_images_are_told_apart() {
    let workshop = Workshop::new();
    for version in [1, 2, 3] {
        for target in ["spir64", "spir64_gen", "spir64_x86_64"] {
            let source = sycl(version, target);
            assert_eq!(
                found(&library(&workshop, &source)),
                [(GpuKind::Sycl, target.to_owned())],
                "{version}"
            );
            assert_eq!(judge(&workshop, &source, XPU, None), GOOD, "{version}");
            assert_eq!(judge(&workshop, &source, CPU, None), DOUBTFUL, "{version}");
        }
    }
    // What only looks like a record is ordinary data.
    assert_eq!(judge(&workshop, &sycl(2, "elsewhere"), CPU, None), ["abi/nix-store-path?"]);
}

#[test]
fn code_for_another_backend_than_the_variants_is_named() {
    let workshop = Workshop::new();
    let sources = [
        (CUDA, cuda(".nv_fatbin", "code", 1, &[(2, 80, 0)])),
        (ROCM, hip(&[&["gfx90a"]])),
        (XPU, sycl(3, "spir64")),
    ];
    for (own, source) in &sources {
        for variant in [CUDA, ROCM, XPU, CPU, "tvm-ffi01-cpu-x86_64-linux"] {
            let found: BTreeSet<String> = judge(&workshop, source, variant, None).into_iter().collect();
            assert_eq!(found.contains("abi/gpu-architecture?"), variant != *own, "{own} in {variant}");
        }
    }
}
