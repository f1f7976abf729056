use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The limits of one call of a plugin.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CallLimits {
    /// Linear memory in all, in bytes.
    pub memory_bytes: usize,
    /// Time from the call to its end, including the host's work for it.
    pub wall: Duration,
    /// Length of an output, in bytes.
    pub output_bytes: u64,
    /// Writes to an output.
    pub sink_writes: u64,
    /// Bytes that the host inflates for the call, in all.
    pub inflated_bytes: u64,
    /// Inflated bytes that are kept at one time to be read.
    pub inflated_held_bytes: u64,
    /// Log lines; further ones are dropped.
    pub log_lines: usize,
    /// Log text, in bytes; the rest is dropped.
    pub log_bytes: usize,
    /// Bytes that one host function accepts from the plugin, and that one call returns from it.
    pub transfer_bytes: usize,
    /// Resources that the plugin holds at once, beside its input files.
    pub handles: usize,
    /// Rounds of asking and answering for one signature or one archive.
    pub rounds: u32,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            memory_bytes: 256 * MIB,
            wall: Duration::from_secs(10),
            output_bytes: 64 * MIB as u64,
            sink_writes: 100_000,
            inflated_bytes: 512 * MIB as u64,
            inflated_held_bytes: 64 * MIB as u64,
            log_lines: 100,
            log_bytes: 16 * KIB,
            transfer_bytes: 32 * MIB,
            handles: 64,
            rounds: 8,
        }
    }
}
