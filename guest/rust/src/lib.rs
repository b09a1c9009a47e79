//! For programs that Volery runs, in Rust without the standard library.
//!
//! A program has a secret input, a public input, a journal that everybody sees, and an exit code; 0 says that
//! the claim holds. A panic exits with [`PANIC`] after its message went to the debugging output.
//!
//! ```ignore
//! #![no_std]
//! #![no_main]
//! volery_guest::entry!(main);
//!
//! fn main() -> u32 {
//!     let secret = volery_guest::secret();
//!     volery_guest::commit(&(secret.len() as u32).to_le_bytes());
//!     0
//! }
//! ```
//!
//! Link with `-Tvolery.ld`: this crate tells the linker in which folder that is.

#![no_std]

extern crate alloc;

mod heap;

use alloc::vec::Vec;
use core::arch::{asm, global_asm};
use core::fmt::{self, Write};
use core::panic::PanicInfo;

/// The exit code of a program that panics.
pub const PANIC: u32 = 101;
/// The exit code if the machine refuses a call, which Volery's does not.
const REFUSED: u32 = 102;
/// The most bytes that a call moves: what one call moves is in one segment of the proof.
const MOST: usize = 1 << 16;

// The loader has cleared what is to be zero.
global_asm!(
    ".section .text.start, \"ax\"",
    ".globl _start",
    "_start:",
    ".option push",
    ".option norelax",
    "la gp, __global_pointer$",
    ".option pop",
    "la sp, __stack",
    "call volery_main",
    "li a7, 93",
    "ecall",
);

/// Names the function that the program begins with. It takes nothing and returns the exit code as a `u32`.
#[macro_export]
macro_rules! entry {
    ($main:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn volery_main() -> u32 {
            let main: fn() -> u32 = $main;
            main()
        }
    };
}

/// An environment call with Linux's number.
fn call(number: u32, first: u32, second: usize, third: usize) -> i32 {
    let result;
    // SAFETY: the calls below read or write the buffer that their callers name, and nothing else.
    unsafe {
        asm!("ecall", inlateout("a0") first => result, in("a1") second, in("a2") third, in("a7") number,
            options(nostack));
    }
    result
}

/// Ends the program.
pub fn exit(code: u32) -> ! {
    loop {
        call(93, code, 0, 0);
    }
}

/// How many bytes a call transferred.
fn count(result: i32) -> usize {
    usize::try_from(result).unwrap_or_else(|_| exit(REFUSED))
}

/// Reads until `length` bytes are at `buffer` or the file ends; returns how many bytes.
///
/// # Safety
/// The bytes are writable, and nobody else uses them.
unsafe fn read(file: u32, buffer: *mut u8, length: usize) -> usize {
    let mut done = 0;
    while done < length {
        match count(call(63, file, buffer as usize + done, (length - done).min(MOST))) {
            0 => break,
            more => done += more,
        }
    }
    done
}

fn read_all(file: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        bytes.reserve((bytes.len() / 2).max(4096));
        let spare = bytes.spare_capacity_mut();
        let room = spare.len();
        // SAFETY: the spare bytes are ours. Nobody clears them first: each store would be a step to prove.
        let done = unsafe { read(file, spare.as_mut_ptr().cast(), room) };
        // SAFETY: `read` has filled these bytes behind the others.
        unsafe { bytes.set_len(bytes.len() + done) };
        if done < room {
            return bytes;
        }
    }
}

fn read_slice(file: u32, buffer: &mut [u8]) -> usize {
    // SAFETY: the slice is borrowed for writing.
    unsafe { read(file, buffer.as_mut_ptr(), buffer.len()) }
}

/// The rest of the secret input.
#[must_use]
pub fn secret() -> Vec<u8> {
    read_all(0)
}

/// The rest of the public input.
#[must_use]
pub fn public() -> Vec<u8> {
    read_all(3)
}

/// Fills the buffer from the secret input, as far as that goes; returns how many bytes.
pub fn read_secret(buffer: &mut [u8]) -> usize {
    read_slice(0, buffer)
}

/// Fills the buffer from the public input, as far as that goes; returns how many bytes.
pub fn read_public(buffer: &mut [u8]) -> usize {
    read_slice(3, buffer)
}

fn write(file: u32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let done = count(call(64, file, bytes.as_ptr() as usize, bytes.len().min(MOST)));
        bytes = &bytes[done.min(bytes.len())..];
    }
}

/// Appends to the journal, which everybody sees.
pub fn commit(bytes: &[u8]) {
    write(1, bytes);
}

/// The journal as a place for formatted text; also by [`journal!`](crate::journal).
pub struct Journal;

impl Write for Journal {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write(1, text.as_bytes());
        Ok(())
    }
}

/// Appends a line to the journal, formatted as by `println!`.
#[macro_export]
macro_rules! journal {
    ($($text:tt)*) => {{
        use core::fmt::Write as _;
        let _ = writeln!($crate::Journal, $($text)*);
    }};
}

/// The debugging output; also by [`debug!`](crate::debug).
pub struct Debug;

impl Write for Debug {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write(2, text.as_bytes());
        Ok(())
    }
}

/// Writes a line for debugging, formatted as by `println!`. A proof does not show it.
#[macro_export]
macro_rules! debug {
    ($($text:tt)*) => {{
        use core::fmt::Write as _;
        let _ = writeln!($crate::Debug, $($text)*);
    }};
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    debug!("{info}");
    exit(PANIC)
}
