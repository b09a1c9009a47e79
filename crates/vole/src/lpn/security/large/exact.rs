use super::super::binomial::{log2_add, log2_binomial};
use super::super::{Shape, exact, regular};

fn zeros(s: Shape, bits: u32) -> f64 {
    let clean = (s.n - s.k - s.t) / s.n;
    s.t * ((1.0 / clean - 1.0) * (-f64::from(bits)).exp2()).ln_1p() * std::f64::consts::LOG2_E
}

pub(in super::super) fn pooled_gauss(s: Shape, bits: u32) -> f64 {
    exact::pooled_gauss(s) - zeros(s, bits)
}
pub(in super::super) fn statistical_decoding(s: Shape, bits: u32) -> f64 {
    let biased =
        |k: f64| (k + 1.0).log2() + 2.0 * (log2_binomial(s.n, s.t) - log2_binomial(s.n - k - 1.0, s.t));
    let hidden = exact::pooled_gauss(s).floor();
    let symbols = (hidden / f64::from(bits)).floor();
    biased(s.k).min(biased((s.k - symbols).max(0.0)).max(hidden)) - 2.0 * zeros(s, bits)
}
pub(in super::super) fn information_set_decoding(s: Shape, bits: u32) -> f64 {
    exact::information_set_decoding(s) - zeros(s, bits)
}
pub(in super::super) fn regular_isd(s: Shape, bits: u32) -> f64 {
    regular::regular_isd(Shape { k: s.k + s.t, ..s }) - zeros(s, bits)
}
fn _x() {
    let _ = log2_add;
}
