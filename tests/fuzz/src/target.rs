use std::path::PathBuf;
use std::{env, fs};

/// Longest seed that is kept, in bytes: libFuzzer never makes inputs longer
/// than the longest seed, and long inputs are slow.
const LONGEST_SEED: usize = 64 * 1024;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[u8]),
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// Returns its name, which the program and the folders of inputs have too.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the generated inputs to begin with.
    #[must_use]
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let mut seeds = (self.seeds)();
        seeds.retain(|seed| seed.len() <= LONGEST_SEED);
        seeds
    }

    /// Writes its seeds into the folder `PARAFA_FUZZ_SEEDS`, if that is set.
    ///
    /// # Panics
    /// When they cannot be written.
    pub fn write_seeds(&self) {
        let Some(folder) = env::var_os("PARAFA_FUZZ_SEEDS").map(PathBuf::from) else {
            return;
        };
        fs::create_dir_all(&folder).expect("the folder for the seeds can be made");
        for (number, seed) in self.seeds().iter().enumerate() {
            let file = folder.join(format!("{}-{number:03}", self.name));
            fs::write(file, seed).expect("a seed can be written");
        }
    }

    /// Judges one input.
    ///
    /// # Panics
    /// When something does not hold that must.
    pub fn run(&self, input: &[u8]) {
        (self.run)(input);
    }
}
