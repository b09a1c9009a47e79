//! The evaluator's outputs: decoded and returned to P, shared, or sealed ahead.

use volery_channel::{Channel, tags};
use volery_field::{F2, Gf128};
use zeroize::Zeroizing;

use super::super::program::{Masks, Owner, Sealed, Step, Wire};
use super::super::same_length;
use super::Evaluator;
use crate::decoding::{DECODING_BYTES, SEAL_BYTES, decoding_bytes, together};
use crate::{Error, Function};

impl<F: Function> Evaluator<F> {
    /// Decodes wires and returns their values to P as well; see
    /// [`Garbler::public`](crate::two_party::Garbler::public).
    ///
    /// # Errors
    /// [`Error::Misuse`] if inputs that they depend on have not come; [`Error::Cheat`] if a label is neither
    /// of the two possible ones; [`Error::Diverged`]; [`Error::Malformed`]; the channel's errors.
    pub fn public(&mut self, channel: &mut dyn Channel, wires: &[Wire]) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |v, channel| v.try_public(channel, wires, None))
    }

    /// See [`Garbler::public_sealed`](crate::two_party::Garbler::public_sealed).
    ///
    /// # Errors
    /// As [`Evaluator::public`]; [`Error::Misuse`] if it was sealed with masks.
    pub fn public_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |v, channel| {
            same_length(sealed.masks.len(), 0)?;
            v.try_public(channel, &sealed.wires, Some(&sealed))
        })
    }

    fn try_public(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        sealed: Option<&Sealed>,
    ) -> Result<Vec<F2>, Error> {
        self.program.announce("public", wires)?;
        let labels = self.labels_of(wires);
        let values = self.decode(channel, &labels, sealed)?;
        self.send_returned(channel, &values, &labels)?;
        channel.flush()?;
        self.program.push(Step::Public { wires: wires.to_vec(), values: values.clone() });
        Ok(values)
    }

    /// Takes labels of `n` random bits of P's; see [`Garbler::masks`](crate::two_party::Garbler::masks).
    ///
    /// # Errors
    /// As [`Evaluator::input`].
    pub fn masks(&mut self, channel: &mut dyn Channel, n: usize) -> Result<Masks, Error> {
        self.guarded(channel, |v, channel| {
            let input = v.try_input(channel, Owner::Prover, n)?;
            let mut labels = Zeroizing::new(vec![Gf128::ZERO; n]);
            v.mask_labels.blocks(&mut labels);
            if let Some(first) = input.wires().first() {
                super::set(&mut v.active, first.index(), &labels)?;
            }
            v.deliver(&input, None)?;
            Ok(Masks(input))
        })
    }

    /// V's share of wires: their values plus P's random bits. See
    /// [`Garbler::shared`](crate::two_party::Garbler::shared).
    ///
    /// # Errors
    /// As [`Evaluator::public`]; [`Error::Misuse`] for other masks.
    pub fn shared(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: Masks,
    ) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |v, channel| {
            same_length(masks.wires().len(), wires.len())?;
            v.program.masks(&masks)?;
            v.try_shared(channel, wires, masks.wires(), None)
        })
    }

    /// See [`Garbler::shared_sealed`](crate::two_party::Garbler::shared_sealed).
    ///
    /// # Errors
    /// As [`Evaluator::shared`]; [`Error::Misuse`] if it was sealed without masks.
    pub fn shared_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
        self.guarded(channel, |v, channel| {
            same_length(sealed.masks.len(), sealed.wires.len())?;
            v.try_shared(channel, &sealed.wires, &sealed.masks, Some(&sealed))
        })
    }

    fn try_shared(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: &[Wire],
        sealed: Option<&Sealed>,
    ) -> Result<Vec<F2>, Error> {
        self.program.announce("shared", wires)?;
        let labels = self.masked_labels(wires, masks);
        let values = self.decode(channel, &labels, sealed)?;
        let share = Zeroizing::new(values.clone());
        self.program.push(Step::Shared { wires: wires.to_vec(), masks: masks.to_vec(), share });
        Ok(values)
    }

    /// Receives sealed decoding information for wires; see
    /// [`Garbler::seal`](crate::two_party::Garbler::seal).
    ///
    /// # Errors
    /// [`Error::Misuse`] for wires or masks of another session, or another number of masks; the channel's
    /// errors.
    pub fn seal(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: Option<Masks>,
    ) -> Result<Sealed, Error> {
        self.guarded(channel, |v, channel| {
            let masks = v.program.seal(wires, masks.as_ref())?;
            let first = v.decoding.reserve(wires.len());
            let mut information = Zeroizing::default();
            if !together(wires.len()) {
                *information = vec![0; DECODING_BYTES * wires.len()];
                channel.recv_exact(tags::GARBLED_SEALED, &mut information)?;
            }
            Ok(Sealed { wires: wires.to_vec(), masks, first, secret: information })
        })
    }

    /// Returns V's share of wires that were shared with these masks to P, with a proof of its labels; see
    /// [`Garbler::confirm`](crate::two_party::Garbler::confirm). This does not wait, and is not sent before
    /// the next flush.
    ///
    /// # Errors
    /// [`Error::Misuse`] if they were not shared; any error of sending.
    pub fn confirm(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: &[Wire],
    ) -> Result<(), Error> {
        self.guarded(channel, |v, channel| {
            let share = v.program.confirm(wires, masks)?;
            let labels = v.masked_labels(wires, masks);
            v.send_returned(channel, &share, &labels)
        })
    }

    fn send_returned(
        &mut self,
        channel: &mut dyn Channel,
        values: &[F2],
        labels: &[Gf128],
    ) -> Result<(), Error> {
        let mut message = values.iter().copied().collect::<volery_field::Bits>().to_bytes();
        message.extend_from_slice(&self.decoding.digest(&self.program.digest(), labels));
        Ok(channel.send(tags::GARBLED_RETURN, &message)?)
    }

    /// Labels of the sums of wires and masks.
    fn masked_labels(&self, wires: &[Wire], masks: &[Wire]) -> Zeroizing<Vec<Gf128>> {
        let mut labels = self.labels_of(wires);
        labels.iter_mut().zip(self.labels_of(masks).iter()).for_each(|(label, mask)| *label += *mask);
        labels
    }

    /// Receives decoding information, or the key that opens it.
    fn decode(
        &mut self,
        channel: &mut dyn Channel,
        labels: &[Gf128],
        sealed: Option<&Sealed>,
    ) -> Result<Vec<F2>, Error> {
        let program = self.program.digest();
        let sealed_ahead = sealed.is_some() && !together(labels.len());
        let length = if sealed_ahead { SEAL_BYTES } else { decoding_bytes(labels.len()) };
        let mut message = vec![0; program.len() + length];
        channel.recv_exact(tags::GARBLED_DECODING, &mut message)?;
        let (theirs, rest) = message.split_at(program.len());
        if theirs != program {
            return Err(Error::Diverged { step: tags::GARBLED_DECODING });
        }
        let first = sealed.map_or_else(|| self.decoding.reserve(labels.len()), |sealed| sealed.first);
        if together(labels.len()) {
            return self.decoding.decode_together((first, &program), labels, rest);
        }
        let Some(sealed) = sealed else {
            return self.decoding.decode(first, labels, rest);
        };
        let key = rest.first_chunk();
        let key = key.ok_or_else(|| Error::malformed(tags::GARBLED_DECODING, "no key"))?;
        let mut information = sealed.secret.clone();
        self.decoding.seal(first, key, &mut information);
        self.decoding.decode(first, labels, &information)
    }
}
