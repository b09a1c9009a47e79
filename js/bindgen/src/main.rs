//! `volery-js-bindgen MODULE.wasm FOLDER NAME`: writes `NAME.js` and `NAME_bg.wasm` to a folder.
//!
//! `NAME.js` also exports the two halves of its `initSync`, as `getImports` and `finishInit`. With them a
//! worker instantiates the module itself, with an import that suspends.

use std::path::Path;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

/// The halves of `initSync` in the glue, and how it exports them.
const HALVES: [(&str, &str); 2] =
    [("__wbg_get_imports()", "getImports"), ("__wbg_finalize_init(instance, module)", "finishInit")];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = &arguments[..] else {
        eprintln!("usage: volery-js-bindgen MODULE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    match generate(module, Path::new(folder), name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn generate(module: &str, folder: &Path, name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut bindgen = Bindgen::new();
    // Names of functions make a module larger, and only a debugger reads them.
    let bindgen = bindgen.input_path(module).out_name(name).typescript(false).remove_name_section(true);
    bindgen.web(true)?.generate(folder)?;
    let path = folder.join(name).with_extension("js");
    let glue = std::fs::read_to_string(&path)?;
    std::fs::write(path, with_halves(glue)?)?;
    Ok(())
}

/// The glue with its halves exported. They are nobody's promise: another wasm-bindgen may have others.
fn with_halves(glue: String) -> Result<String, String> {
    let mut exports = Vec::new();
    for (signature, name) in HALVES {
        if glue.matches(&format!("function {signature} {{")).count() != 1 {
            return Err(format!(
                "the glue has no function `{signature}`: after a change of wasm-bindgen, look at what its `initSync` calls, \
                 and change `HALVES` in js/bindgen/src/main.rs"
            ));
        }
        let function = signature.split('(').next().unwrap_or_default();
        exports.push(format!("{function} as {name}"));
    }
    Ok(format!("{glue}\nexport {{ {} }};\n", exports.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{HALVES, with_halves};

    fn glue(signatures: impl Iterator<Item = &'static str>) -> String {
        signatures.map(|signature| format!("function {signature} {{}}\n")).collect()
    }

    #[test]
    fn the_halves_are_exported() {
        let out = with_halves(glue(HALVES.iter().map(|(signature, _)| *signature))).unwrap();
        let exports = "export { __wbg_get_imports as getImports, __wbg_finalize_init as finishInit };";
        assert_eq!(out.trim_end().lines().last(), Some(exports));
    }

    #[test]
    fn glue_with_other_functions_is_an_error() {
        for (left_out, _) in HALVES {
            let others = HALVES.iter().map(|(signature, _)| *signature).filter(|other| *other != left_out);
            assert!(with_halves(glue(others)).unwrap_err().contains(left_out));
        }
    }
}
