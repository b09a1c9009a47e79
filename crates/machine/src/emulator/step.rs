//! One step: what each instruction does.

use super::end::{Cause, End};
use super::{Error, Machine, Stop};
use crate::instruction::{Instruction, Operation as O};
use crate::memory::Fault;
use crate::observer::{Access, Observer, Step};

/// A trap.
pub(super) fn trap(pc: u32, cause: Cause, value: u32) -> Stop {
    Stop::End(End::Trap { pc, cause, value })
}

impl Machine<'_> {
    /// Carries out the next instruction.
    #[inline(always)]
    pub(super) fn step<W: Observer>(&mut self, observer: &mut W) -> Result<(), Stop> {
        let pc = self.pc;
        let instruction = self.fetch()?;
        let register = |number: u8| self.registers[usize::from(number & 31)];
        let (x, y) = (register(instruction.rs1()), register(instruction.rs2()));
        let i = instruction.immediate() as u32;
        let mut next = pc.wrapping_add(4);
        let mut access = None;
        let result = match instruction.operation() {
            O::Add => x.wrapping_add(y),
            O::Addi => x.wrapping_add(i),
            O::Sub => x.wrapping_sub(y),
            O::Slt => u32::from((x as i32) < y as i32),
            O::Slti => u32::from((x as i32) < i as i32),
            O::Sltu => u32::from(x < y),
            O::Sltiu => u32::from(x < i),
            O::And => x & y,
            O::Andi => x & i,
            O::Or => x | y,
            O::Ori => x | i,
            O::Xor => x ^ y,
            O::Xori => x ^ i,
            // Shifts take the lowest five bits of the amount.
            O::Sll => x.wrapping_shl(y),
            O::Slli => x.wrapping_shl(i),
            O::Srl => x.wrapping_shr(y),
            O::Srli => x.wrapping_shr(i),
            O::Sra => (x as i32).wrapping_shr(y) as u32,
            O::Srai => (x as i32).wrapping_shr(i) as u32,
            O::Mul => x.wrapping_mul(y),
            O::Mulh => ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32,
            O::Mulhsu => ((i64::from(x as i32) * i64::from(y)) >> 32) as u32,
            O::Mulhu => ((u64::from(x) * u64::from(y)) >> 32) as u32,
            // Nothing traps: by zero, quotients are all ones and remainders the dividend; -2^31 / -1 wraps.
            O::Div if y == 0 => u32::MAX,
            O::Div => (x as i32).wrapping_div(y as i32) as u32,
            O::Divu => x.checked_div(y).unwrap_or(u32::MAX),
            O::Rem if y == 0 => x,
            O::Rem => (x as i32).wrapping_rem(y as i32) as u32,
            O::Remu => x.checked_rem(y).unwrap_or(x),
            O::Lui => i,
            O::Auipc => pc.wrapping_add(i),
            O::Lb => self.load(x.wrapping_add(i), 0, &mut access)? as i8 as u32,
            O::Lbu => self.load(x.wrapping_add(i), 0, &mut access)? & 0xff,
            O::Lh => self.load(x.wrapping_add(i), 1, &mut access)? as i16 as u32,
            O::Lhu => self.load(x.wrapping_add(i), 1, &mut access)? & 0xffff,
            O::Lw => self.load(x.wrapping_add(i), 3, &mut access)?,
            O::Sb => self.store(x.wrapping_add(i), y, 0xff, 0, &mut access)?,
            O::Sh => self.store(x.wrapping_add(i), y, 0xffff, 1, &mut access)?,
            O::Sw => self.store(x.wrapping_add(i), y, u32::MAX, 3, &mut access)?,
            O::Beq => branch(x == y, pc, i, &mut next)?,
            O::Bne => branch(x != y, pc, i, &mut next)?,
            O::Blt => branch((x as i32) < y as i32, pc, i, &mut next)?,
            O::Bge => branch(x as i32 >= y as i32, pc, i, &mut next)?,
            O::Bltu => branch(x < y, pc, i, &mut next)?,
            O::Bgeu => branch(x >= y, pc, i, &mut next)?,
            O::Jal => {
                next = target(pc, pc.wrapping_add(i))?;
                pc.wrapping_add(4)
            }
            O::Jalr => {
                next = target(pc, x.wrapping_add(i) & !1)?;
                pc.wrapping_add(4)
            }
            O::Fence => 0,
            O::Ecall => return self.call(instruction, observer),
            O::Ebreak => return Err(trap(pc, Cause::Breakpoint, 0)),
        };
        if let Some(rd) = instruction.destination() {
            self.registers[usize::from(rd & 31)] = result;
        }
        self.retire(&Step { pc, instruction, left: x, right: y, result, next, access }, observer);
        Ok(())
    }

    /// Goes on to the next instruction.
    #[inline(always)]
    pub(super) fn retire<W: Observer>(&mut self, step: &Step, observer: &mut W) {
        self.pc = step.next;
        self.steps += 1;
        observer.step(step);
    }

    #[inline(always)]
    fn fetch(&self) -> Result<Instruction, Stop> {
        // Jumps and the entry are aligned.
        let word = self.pc.wrapping_sub(self.program.text()) / 4;
        match self.program.code().get(word as usize) {
            Some(Some(instruction)) => Ok(*instruction),
            Some(None) => {
                let word = self.memory.word(self.pc).unwrap_or_default();
                Err(trap(self.pc, Cause::IllegalInstruction, word))
            }
            None => Err(trap(self.pc, Cause::FetchOutside, 0)),
        }
    }

    /// The bytes at an address, in the lowest bits; above them the rest of the word. `low` are the bits of an
    /// address that must be 0.
    #[inline(always)]
    fn load(&self, address: u32, low: u32, access: &mut Option<Access>) -> Result<u32, Stop> {
        if address & low != 0 {
            return Err(trap(self.pc, Cause::MisalignedLoad, address));
        }
        let word = self.memory.word(address);
        let word = word.ok_or_else(|| trap(self.pc, Cause::LoadOutside, address))?;
        *access = Some(Access { address: address & !3, old: word, new: word });
        Ok(word >> (8 * (address & 3)))
    }

    /// Writes the bits of `mask` to an address. Returns 0.
    #[inline(always)]
    fn store(
        &mut self,
        address: u32,
        value: u32,
        mask: u32,
        low: u32,
        access: &mut Option<Access>,
    ) -> Result<u32, Stop> {
        if address & low != 0 {
            return Err(trap(self.pc, Cause::MisalignedStore, address));
        }
        let shift = 8 * (address & 3);
        *access = Some(self.write_bits(address, value << shift, mask << shift)?);
        Ok(0)
    }

    /// Writes the bits of `mask` to the word that holds an address.
    #[inline(always)]
    pub(super) fn write_bits(&mut self, address: u32, value: u32, mask: u32) -> Result<Access, Stop> {
        let word = match self.memory.word_mut(address) {
            Ok(word) => word,
            Err(fault) => return Err(self.cannot_write(address, fault)),
        };
        let old = *word;
        *word = old & !mask | value & mask;
        Ok(Access { address: address & !3, old, new: *word })
    }

    /// What a word that cannot be written means for the run.
    #[cold]
    pub(super) fn cannot_write(&self, address: u32, fault: Fault) -> Stop {
        match fault {
            Fault::Outside => trap(self.pc, Cause::StoreOutside, address),
            Fault::ReadOnly => trap(self.pc, Cause::StoreReadOnly, address),
            Fault::Full => Stop::Limit(Error::Memory(self.limits.memory)),
        }
    }
}

/// The target of a jump, if it is aligned.
#[inline(always)]
fn target(pc: u32, target: u32) -> Result<u32, Stop> {
    if target.is_multiple_of(4) { Ok(target) } else { Err(trap(pc, Cause::MisalignedJump, target)) }
}

/// Goes elsewhere if the branch is taken. Returns 0.
#[inline(always)]
fn branch(taken: bool, pc: u32, distance: u32, next: &mut u32) -> Result<u32, Stop> {
    if taken {
        *next = target(pc, pc.wrapping_add(distance))?;
    }
    Ok(0)
}
