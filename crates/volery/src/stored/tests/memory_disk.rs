//! A file system whose power fails after any number of operations, and that then forgets what was not synced.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::disk::{Access, Disk, DiskFile};

/// A sector is written or not; files are written sector by sector, in any order.
const SECTOR: usize = 512;

/// What the power failure leaves of what was not synced.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    /// Nothing.
    Lost,
    /// Everything (what a killed process leaves).
    Kept,
    /// Any sectors of any writes.
    Torn(u64),
}

#[derive(Clone, Default)]
struct Inode {
    /// What processes see.
    now: Vec<u8>,
    /// What is on the disk for sure.
    durable: Vec<u8>,
    pending: Vec<(usize, Vec<u8>)>,
    locked: bool,
    /// Whether anything was ever written to it.
    written: bool,
    /// Whether a batch of correlations was read out of it.
    read: bool,
}

#[derive(Clone, Default)]
struct World {
    inodes: Vec<Inode>,
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    /// Operations until the power fails.
    left: usize,
    /// Whether it failed.
    dark: bool,
    done: usize,
}

impl World {
    /// One operation that changes something; after the last one nothing works.
    fn tick(&mut self) -> io::Result<()> {
        match self.left {
            0 => {
                self.dark = true;
                Err(io::Error::other("the power failed"))
            }
            _ => {
                self.left -= 1;
                self.done += 1;
                Ok(())
            }
        }
    }

    fn powered(&self) -> io::Result<()> {
        if self.dark { Err(io::Error::other("the power failed")) } else { Ok(()) }
    }
}

/// The file system.
#[derive(Clone)]
pub(super) struct Memory(Arc<Mutex<World>>);

impl Memory {
    /// Holds these files, safely on the disk.
    pub(super) fn with(files: &[(&Path, Vec<u8>)]) -> Self {
        let mut world = World { left: usize::MAX, ..World::default() };
        for (i, (path, bytes)) in files.iter().enumerate() {
            world.inodes.push(Inode { now: bytes.clone(), durable: bytes.clone(), ..Inode::default() });
            world.names.insert(path.to_path_buf(), i);
        }
        world.durable_names = world.names.clone();
        Self(Arc::new(Mutex::new(world)))
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// A second world like this one, whose power fails after `left` operations. What was read and written
    /// before does not count there.
    pub(super) fn failing_after(&self, left: usize) -> Self {
        let mut world = World { left, done: 0, ..self.world().clone() };
        for inode in &mut world.inodes {
            (inode.written, inode.read) = (false, false);
        }
        Self(Arc::new(Mutex::new(world)))
    }

    /// Operations so far.
    pub(super) fn done(&self) -> usize {
        self.world().done
    }

    /// Whether anything was written to a file other than `path`.
    pub(super) fn wrote_beside(&self, path: &Path) -> bool {
        let world = self.world();
        let known = world.names.get(path).copied();
        world.inodes.iter().enumerate().any(|(i, inode)| Some(i) != known && inode.written)
    }

    /// Whether correlations were read out of the file at `path`.
    pub(super) fn was_read(&self, path: &Path) -> bool {
        let world = self.world();
        world.names.get(path).is_some_and(|i| world.inodes[*i].read)
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.world().names.contains_key(path)
    }

    /// The world when the power is back.
    pub(super) fn rebooted(&self, fate: Fate) -> Self {
        let world = self.world();
        let mut rng = ChaCha20Rng::seed_from_u64(if let Fate::Torn(seed) = fate { seed } else { 0 });
        let mut keep = || match fate {
            Fate::Lost => false,
            Fate::Kept => true,
            Fate::Torn(_) => rng.next_u32() % 2 == 0,
        };
        let inodes = world.inodes.iter().map(|inode| {
            let mut bytes = inode.durable.clone();
            for (offset, written) in &inode.pending {
                // Sector borders are the disk's, not the write's.
                let mut at = 0;
                while at < written.len() {
                    let end = (((offset + at) / SECTOR + 1) * SECTOR - offset).min(written.len());
                    if keep() {
                        put(&mut bytes, offset + at, &written[at..end]);
                    }
                    at = end;
                }
            }
            Inode { now: bytes.clone(), durable: bytes, ..Inode::default() }
        });
        let inodes = inodes.collect();
        let mut names = world.durable_names.clone();
        for (name, inode) in &world.names {
            if world.durable_names.get(name) != Some(inode) && keep() {
                names.insert(name.clone(), *inode);
            }
        }
        for name in world.durable_names.keys() {
            if !world.names.contains_key(name) && keep() {
                names.remove(name);
            }
        }
        let world =
            World { inodes, durable_names: names.clone(), names, left: usize::MAX, dark: false, done: 0 };
        Self(Arc::new(Mutex::new(world)))
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, written: &[u8]) {
    let end = offset + written.len();
    bytes.resize(bytes.len().max(end), 0);
    bytes[offset..end].copy_from_slice(written);
}

struct MemoryFile {
    world: Memory,
    inode: usize,
    holds_lock: Mutex<bool>,
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        if *self.holds_lock.lock().unwrap() {
            self.world.world().inodes[self.inode].locked = false;
        }
    }
}

impl DiskFile for MemoryFile {
    fn lock(&self) -> io::Result<bool> {
        let mut world = self.world.world();
        world.powered()?;
        let free = !std::mem::replace(&mut world.inodes[self.inode].locked, true);
        *self.holds_lock.lock().unwrap() |= free;
        Ok(free)
    }

    fn len(&self) -> io::Result<u64> {
        let world = self.world.world();
        world.powered()?;
        Ok(world.inodes[self.inode].now.len() as u64)
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let mut world = self.world.world();
        world.powered()?;
        let inode = &mut world.inodes[self.inode];
        // Single records are looked at to see whether they are wiped.
        inode.read |= offset >= 16_384 && out.len() > 4112;
        let (start, end) = (offset as usize, offset as usize + out.len());
        out.copy_from_slice(inode.now.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut world = self.world.world();
        // The write that the failure hits may have been carried out in part.
        let dark = world.dark;
        let result = world.tick();
        if !dark {
            let inode = &mut world.inodes[self.inode];
            put(&mut inode.now, offset as usize, bytes);
            inode.pending.push((offset as usize, bytes.to_vec()));
            inode.written = true;
        }
        result
    }

    fn sync(&self) -> io::Result<()> {
        let mut world = self.world.world();
        world.tick()?;
        let inode = &mut world.inodes[self.inode];
        inode.durable = inode.now.clone();
        inode.pending.clear();
        Ok(())
    }
}

impl Memory {
    fn file(&self, inode: usize) -> Arc<dyn DiskFile> {
        Arc::new(MemoryFile { world: self.clone(), inode, holds_lock: Mutex::new(false) })
    }
}

impl Disk for Memory {
    fn open(&self, path: &Path, _write: bool) -> io::Result<Arc<dyn DiskFile>> {
        let world = self.world();
        world.powered()?;
        let inode = *world.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        drop(world);
        Ok(self.file(inode))
    }

    fn create(&self, path: &Path, _access: Access) -> io::Result<Arc<dyn DiskFile>> {
        let mut world = self.world();
        world.tick()?;
        if world.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let inode = world.inodes.len();
        world.inodes.push(Inode::default());
        world.names.insert(path.to_owned(), inode);
        drop(world);
        Ok(self.file(inode))
    }

    fn exists(&self, path: &Path) -> bool {
        self.has(path)
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.tick()?;
        if world.names.contains_key(to) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let inode = *world.names.get(from).ok_or(io::ErrorKind::NotFound)?;
        world.names.insert(to.to_owned(), inode);
        world.tick()?;
        world.names.remove(from);
        world.tick()?;
        world.durable_names = world.names.clone();
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.tick()?;
        world.names.remove(path).map(drop).ok_or(io::ErrorKind::NotFound.into())
    }
}
