//! The garbler's outputs: opened to both parties, shared, sealed ahead, or confirmed by V.

use subtle::ConstantTimeEq;
use volery_channel::{Channel, tags};
use volery_field::{F2, Gf128};
use zeroize::Zeroizing;

use super::super::program::{Masks, Owner, Sealed, Step, Wire};
use super::super::{bits, same_length};
use super::Garbler;
use crate::decoding::{DIGEST_BYTES, together};
use crate::{Error, Function};

impl<F: Function> Garbler<F> {
    /// Opens wires to both parties and returns their values. One round trip, 40 bytes for each bit, for more
    /// than 128 as much as for 128 and one bit each.
    ///
    /// # Errors
    /// [`Error::Misuse`] if inputs that they depend on have not come; [`Error::Cheat`] if V returns values
    /// for which it has no labels; [`Error::Malformed`]; the channel's errors.
    pub fn public(&mut self, channel: &mut dyn Channel, wires: &[Wire]) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |p, channel| p.try_public(channel, wires, None))
    }

    /// As [`Garbler::public`], for wires that were [sealed](Garbler::seal). One round trip, 16 bytes and one
    /// bit for each, or as there for more than 128.
    ///
    /// # Errors
    /// As [`Garbler::public`]; [`Error::Misuse`] if it was sealed with masks.
    pub fn public_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |p, channel| {
            same_length(sealed.masks.len(), 0)?;
            p.try_public(channel, &sealed.wires, Some(&sealed))
        })
    }

    fn try_public(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        sealed: Option<&Sealed>,
    ) -> Result<Vec<F2>, Error> {
        self.program.announce("public", wires)?;
        let zeros = self.zeros_of(wires, &[]);
        let program = self.send_decoding(channel, &zeros, sealed)?;
        let values = self.receive_returned(channel, &program, &zeros)?;
        self.program.push(Step::Public { wires: wires.to_vec(), values: values.clone() });
        Ok(values)
    }

    /// Receives the values that V returns, given the wires' labels of 0.
    fn receive_returned(
        &mut self,
        channel: &mut dyn Channel,
        program: &[u8; 32],
        zeros: &[Gf128],
    ) -> Result<Vec<F2>, Error> {
        let mut message = vec![0; zeros.len().div_ceil(8) + DIGEST_BYTES];
        channel.recv_exact(tags::GARBLED_RETURN, &mut message)?;
        let (packed, shown) = message.split_at(zeros.len().div_ceil(8));
        let values = bits(tags::GARBLED_RETURN, packed, zeros.len())?;
        self.check_shown(tags::GARBLED_RETURN, program, zeros, &values, shown)?;
        Ok(values)
    }

    /// Checks that V has shown the labels of these values.
    pub(in super::super) fn check_shown(
        &mut self,
        step: volery_channel::Tag,
        program: &[u8; 32],
        zeros: &[Gf128],
        values: &[F2],
        shown: &[u8],
    ) -> Result<(), Error> {
        let offset = self.offset.expose();
        let labels = zeros.iter().zip(values).map(|(zero, x)| *zero + offset * *x);
        let labels = Zeroizing::new(labels.collect::<Vec<_>>());
        let right: bool = self.decoding.digest(program, &labels).ct_eq(shown).into();
        if right { Ok(()) } else { Err(Error::cheat(step, "the proof that values come from labels")) }
    }

    /// Takes `n` random bits for outputs that will be shared. They are those of correlations, so P is
    /// committed to them already, and V knows its labels of them. This sends nothing, unless correlations
    /// have to be made.
    ///
    /// # Errors
    /// As [`Garbler::input`].
    pub fn masks(&mut self, channel: &mut dyn Channel, n: usize) -> Result<Masks, Error> {
        self.guarded(channel, |p, channel| {
            let tags = p.tags(channel, n)?;
            let bits = Zeroizing::new(tags.iter().map(|tag| tag.lsb()).collect::<Vec<_>>());
            let mut labels = Zeroizing::new(vec![Gf128::ZERO; n]);
            p.mask_labels.blocks(&mut labels);
            let offset = p.offset.expose();
            labels.iter_mut().zip(bits.iter()).for_each(|(label, bit)| *label += offset * *bit);
            let input = p.program.input(Owner::Prover, n, tags)?;
            p.append(&labels);
            p.deliver(&input, Some(&bits))?;
            Ok(Masks(input))
        })
    }

    /// Shares wires between the parties. Returns P's share, which is the masks. V's share is the wire's value
    /// plus P's.
    ///
    /// There must be one mask for each wire. This does not wait, and sends as much as [`Garbler::public`].
    ///
    /// # Errors
    /// [`Error::Misuse`] if inputs that they depend on have not come, or for other masks; any error of
    /// sending.
    pub fn shared(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: Masks,
    ) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |p, channel| {
            same_length(masks.wires().len(), wires.len())?;
            p.program.masks(&masks)?;
            p.try_shared(channel, wires, masks.wires(), None)
        })
    }

    /// As [`Garbler::shared`], for wires that were [sealed](Garbler::seal): 16 bytes, or as there for more
    /// than 128 bits.
    ///
    /// # Errors
    /// As [`Garbler::shared`]; [`Error::Misuse`] if it was sealed without masks.
    pub fn shared_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |p, channel| {
            same_length(sealed.masks.len(), sealed.wires.len())?;
            p.try_shared(channel, &sealed.wires, &sealed.masks, Some(&sealed))
        })
    }

    fn try_shared(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: &[Wire],
        sealed: Option<&Sealed>,
    ) -> Result<Vec<F2>, Error> {
        let share = self.program.own_bits(masks)?;
        self.program.announce("shared", wires)?;
        let zeros = self.zeros_of(wires, masks);
        self.send_decoding(channel, &zeros, sealed)?;
        channel.flush()?;
        // P knows the values that V decodes once it knows V's inputs.
        let step = Step::Shared { wires: wires.to_vec(), masks: masks.to_vec(), share: Zeroizing::default() };
        self.program.push(step);
        Ok(share)
    }

    /// Sends sealed decoding information ahead for wires that need not have values yet: to make them public
    /// or, with `masks`, to share them. It does not wait, and sends 40 bytes for each bit; nothing for more
    /// than 128, whose information depends on what comes later.
    ///
    /// # Errors
    /// [`Error::Misuse`] for wires or masks of another session, or another number of masks; any error of
    /// sending.
    pub fn seal(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: Option<Masks>,
    ) -> Result<Sealed, Error> {
        self.guarded(channel, |p, channel| {
            let masks = p.program.seal(wires, masks.as_ref())?;
            let zeros = p.zeros_of(wires, &masks);
            let first = p.decoding.reserve(wires.len());
            if together(wires.len()) {
                return Ok(Sealed { wires: wires.to_vec(), masks, first, secret: Zeroizing::default() });
            }
            let mut information = p.decoding.encode(first, &zeros, p.offset.expose());
            let key = p.random.block().to_bytes();
            p.decoding.seal(first, &key, &mut information);
            channel.send(tags::GARBLED_SEALED, &information)?;
            Ok(Sealed { wires: wires.to_vec(), masks, first, secret: Zeroizing::new(key.to_vec()) })
        })
    }

    /// Receives V's share of wires that were shared with these masks. V returns it with a proof of its
    /// labels, so it cannot be another one. P then knows the values. This waits for V's message.
    ///
    /// # Errors
    /// [`Error::Misuse`] if they were not shared; [`Error::Cheat`] if V returns a share for which it has no
    /// labels; [`Error::Malformed`]; the channel's errors.
    pub fn confirm(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: &[Wire],
    ) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |p, channel| {
            p.program.confirm(wires, masks)?;
            let zeros = p.zeros_of(wires, masks);
            let program = p.program.digest();
            p.receive_returned(channel, &program, &zeros)
        })
    }

    /// Sends the digest of the program so far, and the decoding information of these wires or the key that
    /// opens it.
    fn send_decoding(
        &mut self,
        channel: &mut dyn Channel,
        zeros: &[Gf128],
        sealed: Option<&Sealed>,
    ) -> Result<[u8; 32], Error> {
        let program = self.program.digest();
        let mut message = program.to_vec();
        let offset = self.offset.expose();
        let first = sealed.map_or_else(|| self.decoding.reserve(zeros.len()), |sealed| sealed.first);
        match sealed {
            _ if together(zeros.len()) => {
                let information = self.decoding.encode_together((first, &program), zeros, offset);
                message.extend_from_slice(&information);
            }
            Some(sealed) => message.extend_from_slice(&sealed.secret),
            None => message.extend_from_slice(&self.decoding.encode(first, zeros, offset)),
        }
        channel.send(tags::GARBLED_DECODING, &message)?;
        Ok(program)
    }

    /// The labels of 0 of wires, or, if there are masks, of the sums of wires and masks.
    fn zeros_of(&self, wires: &[Wire], masks: &[Wire]) -> Zeroizing<Vec<Gf128>> {
        let masks = masks.iter().map(|mask| self.zero(*mask)).chain(core::iter::repeat(Gf128::ZERO));
        Zeroizing::new(wires.iter().zip(masks).map(|(wire, mask)| self.zero(*wire) + mask).collect())
    }
}
