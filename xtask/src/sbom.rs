//! `cargo xtask sbom`: lists the crates that the binary consists of as a software bill of materials
//! (CycloneDX 1.5).
//!
//! Cargo reports the linked crates and their licences; its lock file has their checksums.
#![expect(clippy::disallowed_methods, reason = "it asks cargo, and reads the lock file")]

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

pub(crate) fn text() -> Result<String, String> {
    let arguments = ["metadata", "--format-version=1", "--locked", "--filter-platform"];
    let done = Command::new("cargo").args(arguments).arg(host()?).output();
    let done = done.map_err(|it| format!("cargo metadata: {it}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&done.stdout).map_err(|it| it.to_string())?;
    let sums = checksums(&std::fs::read_to_string("Cargo.lock").map_err(|it| it.to_string())?);
    let document = document(&metadata, &sums).ok_or("cargo metadata has another form")?;
    let text = serde_json::to_string_pretty(&document).map_err(|it| it.to_string())?;
    Ok(format!("{text}\n"))
}

/// Returns the platform that cargo builds for.
fn host() -> Result<String, String> {
    let done = Command::new("cargo").arg("-vV").output().map_err(|it| it.to_string())?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let host = text.lines().find_map(|it| it.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "cargo does not name its platform".to_owned())
}

/// Returns the checksum of each crate, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut res = BTreeMap::new();
    for package in lock.split("[[package]]") {
        let field = |name: &str| {
            let line = package.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(" = \""));
            line.and_then(|it| it.strip_suffix('"')).map(str::to_owned)
        };
        if let (Some(name), Some(version), Some(sum)) =
            (field("name"), field("version"), field("checksum"))
        {
            res.insert((name, version), sum);
        }
    }
    res
}

fn document(metadata: &Value, sums: &BTreeMap<(String, String), String>) -> Option<Value> {
    let packages = metadata.get("packages")?.as_array()?;
    let root = packages.iter().find(|it| it["name"] == "cli")?;
    let linked = linked(metadata, root["id"].as_str()?)?;
    let mut components = Vec::new();
    for package in packages.iter().filter(|it| it["id"] != root["id"]) {
        if !package["id"].as_str().is_some_and(|it| linked.contains(it)) {
            continue;
        }
        let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
        let purl = format!("pkg:cargo/{name}@{version}");
        let mut component = Map::new();
        for (key, value) in [
            ("type", "library"),
            ("bom-ref", &purl),
            ("name", name),
            ("version", version),
            ("purl", &purl),
        ] {
            component.insert(key.to_owned(), json!(value));
        }
        if let Some(licence) = package["license"].as_str() {
            // Old crates write a slash instead of OR.
            let expression = licence.replace(" / ", " OR ").replace('/', " OR ");
            let licenses = json!([{ "expression": expression }]);
            component.insert("licenses".to_owned(), licenses);
        }
        if let Some(sum) = sums.get(&(name.to_owned(), version.to_owned())) {
            let hashes = json!([{ "alg": "SHA-256", "content": sum }]);
            component.insert("hashes".to_owned(), hashes);
        }
        components.push(Value::Object(component));
    }
    let version = root["version"].as_str()?;
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": "gimlet", "name": "gimlet", "version": version,
            "licenses": [{ "expression": root["license"] }],
        }},
        "components": components,
    }))
}

/// Returns the crates that are linked into the binary, without those of build scripts and tests.
fn linked<'m>(metadata: &'m Value, root: &'m str) -> Option<BTreeSet<&'m str>> {
    let nodes = metadata.pointer("/resolve/nodes")?.as_array()?;
    let by_id: BTreeMap<&str, &Value> =
        nodes.iter().filter_map(|it| Some((it["id"].as_str()?, it))).collect();
    let mut res = BTreeSet::new();
    let mut left = vec![root];
    while let Some(id) = left.pop() {
        if !res.insert(id) {
            continue;
        }
        for dependency in by_id.get(id)?["deps"].as_array()? {
            let kinds = dependency["dep_kinds"].as_array()?;
            if kinds.iter().any(|it| it["kind"].is_null()) {
                left.push(dependency["pkg"].as_str()?);
            }
        }
    }
    Some(res)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bill_names_what_is_linked() {
        std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).expect("the root");
        let text = super::text().expect("a bill");
        let bill: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let components = bill["components"].as_array().expect("components");
        let named = |name: &str| components.iter().find(|it| it["name"] == name);
        let clap = named("clap").expect("clap is linked");
        assert!(clap["hashes"][0]["content"].as_str().is_some_and(|it| it.len() == 64), "{clap}");
        assert!(named("engine").is_some(), "our own crates are parts too");
        assert!(named("expect-test").is_none(), "a crate of tests is not linked");
    }
}
