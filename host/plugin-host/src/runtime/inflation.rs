//! Inflation for plugins (RFC 1951). The clock of a call does not cover the host's work, so time
//! and size are limited here.

use std::time::{Duration, Instant};

use flate2::{Decompress, FlushDecompress, Status};

use crate::{CallLimits, FaultKind};

/// Reasons why a part of a document is not inflated.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum NotInflated {
    /// The part is not a DEFLATE stream.
    #[error("it is no DEFLATE stream")]
    Malformed,
    /// The stream inflates to more than the allowed size.
    #[error("it inflates to more than {0} bytes")]
    TooLong(u64),
    /// The stream ends before the part.
    #[error("its DEFLATE stream ends before it")]
    TrailingBytes,
    /// The part ends before the stream.
    #[error("it ends before its DEFLATE stream")]
    Truncated,
}

/// Bytes read or written between two checks of the time limit.
const PIECE: usize = 64 * 1024;

/// The remaining inflation budget of a call, and the bytes that it holds.
#[derive(Debug)]
pub(crate) struct Inflation {
    ends: Option<Instant>,
    wall: Duration,
    left: u64,
    limit: u64,
    held: u64,
    most_held: u64,
}

impl Inflation {
    pub(crate) fn new(limits: &CallLimits) -> Self {
        Self {
            ends: Instant::now().checked_add(limits.wall),
            wall: limits.wall,
            left: limits.inflated_bytes,
            limit: limits.inflated_bytes,
            held: 0,
            most_held: limits.inflated_held_bytes,
        }
    }

    /// Inflates `part` into `take`, piece by piece, and returns the inflated length. Fails if the
    /// part is not exactly one DEFLATE stream, or exceeds `most` bytes. Declared lengths cause no
    /// allocation.
    pub(crate) fn inflate(
        &mut self,
        part: &[u8],
        most: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), FaultKind>,
    ) -> Result<Result<u64, NotInflated>, FaultKind> {
        let mut stream = Decompress::new(false);
        let mut piece = vec![0; PIECE];
        let (mut read, mut len) = (0, 0_u64);
        loop {
            self.check_time()?;
            let rest = part.get(read..).unwrap_or_default();
            let input = rest.get(..PIECE).unwrap_or(rest);
            let (was_in, was_out) = (stream.total_in(), stream.total_out());
            let Ok(status) = stream.decompress(input, &mut piece, FlushDecompress::None) else {
                return Ok(Err(NotInflated::Malformed));
            };
            let moved = |is: u64, was: u64| usize::try_from(is - was).unwrap_or(usize::MAX);
            let taken = moved(stream.total_in(), was_in);
            let made = moved(stream.total_out(), was_out);
            read += taken;
            len += made as u64;
            self.spend(made as u64)?;
            if len > most {
                return Ok(Err(NotInflated::TooLong(most)));
            }
            take(piece.get(..made).unwrap_or(&piece))?;
            match status {
                Status::StreamEnd if read == part.len() => return Ok(Ok(len)),
                Status::StreamEnd => return Ok(Err(NotInflated::TrailingBytes)),
                Status::Ok | Status::BufError if taken == 0 && made == 0 => {
                    return Ok(Err(NotInflated::Truncated));
                }
                Status::Ok | Status::BufError => {}
            }
        }
    }

    /// Inflates `part` like `inflate`; the call holds the content until [`Inflation::release`].
    pub(crate) fn hold(
        &mut self,
        part: &[u8],
        most: u64,
    ) -> Result<Result<Vec<u8>, NotInflated>, FaultKind> {
        let room = self.most_held.saturating_sub(self.held);
        let limit = self.most_held;
        let mut held = Vec::new();
        let inflated = self.inflate(part, most, |piece| {
            if (held.len() + piece.len()) as u64 > room {
                let unit = "at once";
                return Err(FaultKind::InflationLimit { limit, unit });
            }
            held.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(inflated.map(|len| {
            self.held += len;
            held.shrink_to_fit();
            held
        }))
    }

    /// Gives back this many held bytes.
    pub(crate) fn release(&mut self, len: usize) {
        self.held = self.held.saturating_sub(len as u64);
    }

    fn check_time(&self) -> Result<(), FaultKind> {
        match self.ends {
            Some(ends) if ends <= Instant::now() => Err(FaultKind::TimedOut {
                limit_ms: self.wall.as_millis(),
            }),
            _ => Ok(()),
        }
    }

    fn spend(&mut self, len: u64) -> Result<(), FaultKind> {
        match self.left.checked_sub(len) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(FaultKind::InflationLimit {
                limit: self.limit,
                unit: "in all",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn limits() -> CallLimits {
        CallLimits {
            inflated_bytes: 300_000,
            inflated_held_bytes: 200_000,
            ..CallLimits::default()
        }
    }

    fn held(part: &[u8], most: u64) -> Result<Result<Vec<u8>, NotInflated>, FaultKind> {
        Inflation::new(&limits()).hold(part, most)
    }

    #[test]
    fn a_stream_is_inflated_that_ends_where_its_part_ends() {
        let text = b"abc".repeat(40_000);
        let stream = deflated(&text);

        assert_eq!(held(&stream, 120_000), Ok(Ok(text)));
        let after = [&stream[..], b"x"].concat();
        let before = &stream[..stream.len() - 1];
        for (part, most, why) in [
            (&stream[..], 119_999, NotInflated::TooLong(119_999)),
            (&after, 120_000, NotInflated::TrailingBytes),
            (before, 120_000, NotInflated::Truncated),
            (b"", 0, NotInflated::Truncated),
            (b"\x07", 0, NotInflated::Malformed),
        ] {
            assert_eq!(held(part, most), Ok(Err(why)));
        }
    }

    #[test]
    fn a_call_inflates_only_so_much_in_all_and_at_once() {
        let stream = deflated(&[0; 120_000]);
        let mut inflation = Inflation::new(&limits());
        assert!(inflation.hold(&stream, u64::MAX).unwrap().is_ok());

        assert_eq!(
            inflation.hold(&stream, u64::MAX),
            Err(FaultKind::InflationLimit {
                limit: 200_000,
                unit: "at once"
            })
        );
        inflation.release(120_000);
        assert_eq!(
            inflation.inflate(&stream, u64::MAX, |_| Ok(())),
            Err(FaultKind::InflationLimit {
                limit: 300_000,
                unit: "in all"
            })
        );
    }

    #[test]
    fn inflating_ends_when_the_time_of_the_call_is_over() {
        let limits = CallLimits {
            wall: Duration::ZERO,
            ..CallLimits::default()
        };
        let ended = Inflation::new(&limits).hold(&deflated(b"a"), 1);

        assert_eq!(ended, Err(FaultKind::TimedOut { limit_ms: 0 }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_was_deflated_is_inflated_again(bytes in vec(any::<u8>(), 0..2000)) {
            prop_assert_eq!(held(&deflated(&bytes), 2000), Ok(Ok(bytes)));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..200), most in 0..1000_u64) {
            if let Ok(Ok(inflated)) = held(&bytes, most) {
                prop_assert!(inflated.len() as u64 <= most);
            }
        }
    }
}
