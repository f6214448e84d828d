//! `bench` on declared operations: they are workloads like those of scripts, and need no script.

use super::scene::{bench, built};

const PACKAGE: &str = "import torch\n\n\ndef relu(x):\n    return torch.relu(x)\n\n\ndef leaky(x):\n    \
                       return torch.where(x > 0, x, 1e-3 * x)\n\n\ndef add_(x):\n    x += 1\n";
const REFERENCE: &str =
    "import torch\n\n\ndef relu(x):\n    return torch.relu(x)\n\n\ndef add_(x):\n    return x + 1\n";

fn operation(name: &str, reference: &str, tensors: &str) -> String {
    format!(
        "[operation.{name}]\ncall = \"{name}(x)\"\nreference = \"reference.py:{reference}\"\ndtypes = [\"float32\"]\n\
         dims = {{ N = {{}} }}\n[operation.{name}.tensors]\n{tensors}\n\
         [[operation.{name}.workload]]\nname = \"small\"\nsizes = {{ N = 5000 }}\n"
    )
}

#[test]
fn declared_operations_are_measured_without_any_script() {
    let pure = "x = { shape = [\"N\"] }\nout = { shape = [\"N\"], role = \"output\" }";
    let workloads = [
        "schema = 1\n".to_owned(),
        operation("relu", "relu", pure),
        operation("leaky", "relu", pure),
        operation("add_", "add_", "x = { shape = [\"N\"], role = \"inout\" }"),
    ];
    let scene = built(PACKAGE, &workloads.concat(), REFERENCE);
    let ran = bench(&scene, &["--output", "result.json"]);
    assert_eq!(ran.status, 7, "{ran}");
    let report = ran.json().pop().expect("a report");
    let of = |name: &str| {
        let workloads = report["variants"][0]["workloads"].as_array().expect("workloads");
        workloads.iter().find(|workload| workload["workload"] == name).expect(name).clone()
    };
    let relu = of("relu.small.float32");
    assert_eq!(relu["verified"], true, "{ran}");
    assert!(relu["kernel_us"].as_f64().expect("a time") > 0.0, "{ran}");
    assert_eq!(of("leaky.small.float32")["outcome"], "incorrect", "{ran}");
    assert_eq!(of("add_.small.float32")["outcome"], "unsupported", "{ran}");
    let document = fs_err::read_to_string(scene.path("result.json")).expect("a document");
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    let workloads = document["workloads"].as_array().expect("workloads");
    let relu =
        workloads.iter().find(|one| one["workload"] == "relu.small.float32" || one["shape"]["N"] == 5000);
    assert_eq!(relu.expect("relu")["shape"]["N"], 5000, "{document}");
    let files = document["subject"]["files"].as_array().expect("files");
    assert!(files.iter().any(|file| file["path"] == "benchmarks/reference.py"), "{document}");
}
