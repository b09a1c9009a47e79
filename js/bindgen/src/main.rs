//! `volery-js-bindgen MODULE.wasm FOLDER NAME`: writes `NAME.js` and `NAME_bg.wasm` to a folder.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = &arguments[..] else {
        eprintln!("usage: volery-js-bindgen MODULE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    // Names of functions make a module larger, and only a debugger reads them.
    let bindgen = bindgen.input_path(module).out_name(name).typescript(false).remove_name_section(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
