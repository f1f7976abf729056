use crate::named::named;

named! {
    /// The level that a request asks for.
    #[derive(Ord, PartialOrd)]
    pub enum TargetLevel("target level") {
        /// A signature.
        BB = "B-B",
        /// A signature with a time-stamp over its value.
        BT = "B-T",
        /// With all that it is verified with; for `archive`.
        BLt = "B-LT",
    }
}

named! {
    /// The level that a reached one, such as `PAdES-B-LT` or `XAdES-T`, comes to
    /// in every format.
    #[derive(Ord, PartialOrd)]
    pub enum BaselineLevel("baseline level") {
        /// A signature.
        B = "B",
        /// With a time-stamp over its value.
        T = "T",
        /// With all that it is verified with.
        Lt = "LT",
        /// With time-stamps over all of that.
        Lta = "LTA",
    }
}

impl BaselineLevel {
    /// What follows the last hyphen of a reached level; `None` for other
    /// profiles.
    #[must_use]
    pub fn of(reached: &str) -> Option<Self> {
        reached.rsplit_once('-')?.1.parse().ok()
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
    }
}
