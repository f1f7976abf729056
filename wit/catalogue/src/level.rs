use alloc::format;
use alloc::string::String;

use crate::named::named;

named! {
    /// The requested level of a signature.
    #[derive(Ord, PartialOrd)]
    pub enum TargetLevel("target level") {
        /// A signature.
        BB = "B-B",
        /// A signature with a time-stamp over its value.
        BT = "B-T",
        /// With its validation data; for `archive`.
        BLt = "B-LT",
        /// With time-stamps over these data; for `archive`.
        BLta = "B-LTA",
    }
}

named! {
    /// The baseline level of a reached one, such as `PAdES-B-LT` or `XAdES-T`, in every format.
    #[derive(Ord, PartialOrd)]
    pub enum BaselineLevel("baseline level") {
        /// A signature.
        B = "B",
        /// With a time-stamp over its value.
        T = "T",
        /// With its validation data.
        Lt = "LT",
        /// With time-stamps over these data.
        Lta = "LTA",
    }
}

impl BaselineLevel {
    /// Returns the profile and the baseline level of a reached level; `None` for other profiles.
    #[must_use]
    pub fn split(reached: &str) -> Option<(&str, Self)> {
        let (profile, baseline) = reached.rsplit_once('-')?;
        Some((profile, baseline.parse().ok()?))
    }

    /// Returns the reached level of a profile.
    #[must_use]
    pub fn in_profile(self, profile: &str) -> String {
        format!("{profile}-{self}")
    }

    /// Returns the level after the last hyphen of a reached one; `None` for other profiles.
    #[must_use]
    pub fn of(reached: &str) -> Option<Self> {
        Some(Self::split(reached)?.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels;

    #[test]
    fn levels_of_all_formats_are_compared_by_what_they_end_in() {
        assert_eq!(BaselineLevel::of(levels::XADES_T), Some(BaselineLevel::T));
        assert_eq!(
            BaselineLevel::of(levels::PADES_B_LTA),
            Some(BaselineLevel::Lta)
        );
        assert!(BaselineLevel::of(levels::XADES_LT) > BaselineLevel::of(levels::JADES_B_T));
        for other in [levels::UNKNOWN, "", "PAdES-B-LTV", "B"] {
            assert_eq!(BaselineLevel::of(other), None, "{other}");
        }
        let (profile, baseline) = BaselineLevel::split(levels::PADES_B_LT).unwrap();
        assert_eq!((profile, baseline), ("PAdES-B", BaselineLevel::Lt));
        assert_eq!(baseline.in_profile(profile), levels::PADES_B_LT);
    }
}
