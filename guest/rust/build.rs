//! Lets programs that depend on this crate name the linker script without its folder: `-Tvolery.ld`.

fn main() {
    println!("cargo::rustc-link-search={}/..", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=../volery.ld");
}
