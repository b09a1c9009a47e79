pub(super) mod exact;
pub(super) mod hybrid;

use super::{Estimate, Field, Instance, Shape, algebraic, over_blocks};

pub(super) fn estimate(instance: &Instance, bits: u32) -> Estimate {
    let on = |attack: fn(Shape, u32) -> f64| over_blocks(instance, |s| attack(s, bits));
    Estimate {
        pooled_gauss: on(exact::pooled_gauss),
        statistical_decoding: on(exact::statistical_decoding),
        isd: on(exact::information_set_decoding),
        regular_isd: on(exact::regular_isd),
        agb: over_blocks(instance, |shape| {
            algebraic::agb_over(algebraic::System { shape, field: instance.field })
        }),
        agb2: over_blocks(instance, |shape| {
            algebraic::agb2_over(algebraic::System { shape, field: instance.field })
        }),
        hybrid: on(hybrid::hybrid),
    }
}
