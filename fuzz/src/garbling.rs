//! Two parties on garbled circuits, and the proof at the end.

use volery_channel::Channel;
use volery_circuit::gadgets::s_box;
use volery_circuit::{Digest, Ops};
use volery_field::{F2, Gf128};
use volery_garble::two_party::{Evaluator, Garbler, Garbling, Owner, Settings};
use volery_garble::{Error, Function};
use volery_vole::{Delta, SessionId};
use volery_zk::quicksilver;

use crate::dealing;
use crate::replay::{against, rng};

const SESSION: SessionId = SessionId::new([6; 32]);

/// Bits of each input.
const WIDTH: usize = 8;

/// What P knows, and what V does.
const X: u8 = 0b1001_0110;
const Y: u8 = 0b0101_0011;
const TEXT: u8 = 0b1100_1010;

/// Of `x`, `y` and a public text: `x (x + 1) + y`, which is `y` (with a lie its complement), AES's S-box of
/// `y`, then `x x`, which is `x`, the S-box of `x`, then `x y + text`.
struct Program {
    lie: bool,
}

impl Function for Program {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("function", b"fuzz: garbling");
    }

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let (x, rest) = inputs.split_at(WIDTH);
        let (y, text) = rest.split_at(WIDTH);
        let mut out = Vec::new();
        for (x, y) in x.iter().zip(y) {
            let complement = b.add_constant(x, F2::ONE);
            let zero = b.mul(x, &complement)?;
            let y = b.add_constant(y, F2::new(self.lie));
            out.push(b.add(&zero, &y));
        }
        out.extend(substitution(b, y)?);
        out.extend(b.mul_many(x, x)?);
        out.extend(substitution(b, x)?);
        let products = b.mul_many(x, y)?;
        out.extend(products.iter().zip(text).map(|(product, text)| b.add(product, text)));
        Ok(out)
    }
}

fn substitution<B: Ops<F2> + ?Sized>(b: &mut B, byte: &[B::Wire]) -> Result<[B::Wire; WIDTH], B::Error> {
    let byte = byte.try_into().map_err(|_| volery_circuit::Error::Misuse("no byte".into()))?;
    s_box(b, byte)
}

fn substituted(byte: u8) -> [F2; WIDTH] {
    substitution(&mut volery_circuit::Evaluator::new(), &bits(byte)).expect("a byte")
}

fn bits(byte: u8) -> Vec<F2> {
    (0..WIDTH).map(|i| F2::from_lsb((byte >> i).into())).collect()
}

/// How gates are garbled, from an input's first byte (bit 2).
fn garbling(mode: u8) -> Garbling {
    if mode & 4 == 0 { Garbling::ThreeHalves } else { Garbling::OneHot }
}

fn settings(garbling: Garbling) -> Settings {
    Settings { garbling, stored_tables: 1 << 16, proof: quicksilver::bits::Settings { interval: 16 } }
}

/// All that a V sends, at P. The first byte says how gates are garbled. P takes no public value for another.
pub fn garbling_prover(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let _ = against(rest, |channel| as_prover(channel, garbling(*mode)));
}

/// All that a P sends, at V. The first byte says how gates are garbled, and whether V has another function
/// than P (bit 1). What V decodes is right, whatever P's inputs are, if V accepts.
pub fn garbling_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let (garbling, lie) = (garbling(*mode), mode & 2 != 0);
    let _ = against(rest, |channel| as_verifier(channel, garbling, &dealing::delta(bytes), lie));
}

/// An honest P.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel, garbling: Garbling) -> Result<(), Error> {
    let offset = Delta::from_element(Gf128::from_bits(0x6a09_e667_f3bc_c908_b2fb_1366_ea95_7d3f));
    let labels = (offset.duplicate(), dealing::bits(Some(offset)));
    let mut p = Garbler::new(&SESSION, settings(garbling), labels, dealing::bits(None), &mut rng(3));
    let x = p.input(channel, Owner::Prover, WIDTH)?;
    let y = p.input(channel, Owner::Verifier, WIDTH)?;
    let text = p.input(channel, Owner::Both, WIDTH)?;
    let masks = p.masks(channel, WIDTH)?;
    let wires = [x.wires(), y.wires(), text.wires()].concat();
    let out = p.call(channel, Program { lie: false }, &wires)?;
    p.take(channel, y)?;
    p.give(channel, x, &bits(X))?;
    p.give_public(channel, text, &bits(TEXT))?;
    let values = p.public(channel, &out[..4 * WIDTH])?;
    let own = [bits(X), substituted(X).to_vec()].concat();
    assert_eq!(values[2 * WIDTH..], own, "V has made P take another value for its own input");
    p.shared(channel, &out[4 * WIDTH..], masks)?;
    p.prove(channel, &mut rng(4), |_, _| Ok(()))?;
    Ok(())
}

/// An honest V.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(
    channel: &mut dyn Channel,
    garbling: Garbling,
    delta: &Delta,
    lie: bool,
) -> Result<(), Error> {
    let commitments = (delta.duplicate(), dealing::bits(Some(delta.duplicate())));
    let mut v = Evaluator::new(&SESSION, settings(garbling), dealing::bits(None), commitments);
    let x = v.input(channel, Owner::Prover, WIDTH)?;
    let y = v.input(channel, Owner::Verifier, WIDTH)?;
    let text = v.input(channel, Owner::Both, WIDTH)?;
    let masks = v.masks(channel, WIDTH)?;
    let wires = [x.wires(), y.wires(), text.wires()].concat();
    let out = v.call(channel, Program { lie }, &wires)?;
    v.give(channel, y, &bits(Y))?;
    v.take(channel, x)?;
    v.give_public(channel, text, &bits(TEXT))?;
    let values = v.public(channel, &out[..4 * WIDTH])?;
    v.shared(channel, &out[4 * WIDTH..], masks)?;
    v.verify(channel, &mut rng(5), |_, _| Ok(()))?;
    let right = [bits(if lie { !Y } else { Y }), substituted(Y).to_vec()].concat();
    assert_eq!(values[..2 * WIDTH], right, "V has accepted a wrong value");
    Ok(())
}
