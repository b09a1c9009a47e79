//! The page's files, which are in the program itself.

use super::http::Answer;

/// A path and its content. The path's extension says its type.
type File = (&'static str, &'static [u8]);

/// The page.
const PAGE: &[File] = &[
    ("/", include_bytes!("index.html")),
    ("/style.css", include_bytes!("style.css")),
    ("/icon.svg", include_bytes!("icon.svg")),
    ("/page.js", include_bytes!("page.js")),
    ("/claims.js", include_bytes!("claims.js")),
    ("/circom.js", include_bytes!("circom.js")),
    ("/dropping.js", include_bytes!("dropping.js")),
    ("/circuit.js", include_bytes!("circuit.js")),
    ("/preimage.js", include_bytes!("preimage.js")),
    ("/public.js", include_bytes!("public.js")),
    ("/website.js", include_bytes!("website.js")),
    ("/attested.js", include_bytes!("attested.js")),
    ("/run.js", include_bytes!("run.js")),
    ("/visible.js", include_bytes!("visible.js")),
    // In place of the package's: it counts bytes, and cheats if it is asked to.
    ("/volery/carrier.js", include_bytes!("carrier.js")),
];

/// The npm package, which `js/run build` completes.
#[cfg(feature = "browser")]
const PACKAGE: &[File] = {
    macro_rules! package {
        ($($name:literal as $path:literal),* $(,)?) => {
            &[$((
                concat!("/volery/", $path),
                include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../js/", $name)),
            )),*]
        };
    }
    package![
        "index.js" as "index.js",
        "carrier.js" as "package-carrier.js",
        "errors.js" as "errors.js",
        "host.js" as "host.js",
        "instance.js" as "instance.js",
        "modules.js" as "modules.js",
        "normal.js" as "normal.js",
        "party.js" as "party.js",
        "pool.js" as "pool.js",
        "ring.js" as "ring.js",
        "socket.js" as "socket.js",
        "wires.js" as "wires.js",
        "dist/volery-simd.js" as "dist/volery-simd.js",
        "dist/volery-simd_bg.wasm" as "dist/volery-simd_bg.wasm",
        "dist/volery-plain.js" as "dist/volery-plain.js",
        "dist/volery-plain_bg.wasm" as "dist/volery-plain_bg.wasm",
        "dist/volery-web-simd.js" as "dist/volery-web-simd.js",
        "dist/volery-web-simd_bg.wasm" as "dist/volery-web-simd_bg.wasm",
        "dist/volery-web-plain.js" as "dist/volery-web-plain.js",
        "dist/volery-web-plain_bg.wasm" as "dist/volery-web-plain_bg.wasm",
    ]
};
#[cfg(not(feature = "browser"))]
const PACKAGE: &[File] = &[];

/// All files.
pub(super) struct Files(());

impl Files {
    /// All files; none if the program was built without the package.
    pub(super) fn all() -> Option<Self> {
        (!PACKAGE.is_empty()).then_some(Self(()))
    }

    /// The file at this path.
    #[expect(clippy::unused_self, reason = "without the package there are no files")]
    pub(super) fn find(&self, path: &str) -> Option<Answer> {
        let (path, body) = PAGE.iter().chain(PACKAGE).find(|(other, _)| *other == path)?;
        let kind = match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("wasm") => "application/wasm",
            _ => "text/html; charset=utf-8",
        };
        Some(Answer { status: "200 OK", kind, body: (*body).into() })
    }
}
