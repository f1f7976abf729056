use std::fmt;

/// A UTC date (ISO 32000-2, 7.9.4).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct PdfDate {
    year: i64,
    month: i64,
    day: i64,
    second_of_day: i64,
}

impl PdfDate {
    /// Converts Unix time in seconds; `None` outside the years 1 to 9999.
    pub(super) fn from_unix(seconds: i64) -> Option<Self> {
        const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

        let (year, month, day) = civil_from_days(seconds.div_euclid(SECONDS_PER_DAY));
        (1..=9999).contains(&year).then_some(Self {
            year,
            month,
            day,
            second_of_day: seconds.rem_euclid(SECONDS_PER_DAY),
        })
    }
}

impl fmt::Display for PdfDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            year,
            month,
            day,
            second_of_day,
        } = self;
        let (hour, minute, second) = (
            second_of_day / 3600,
            second_of_day / 60 % 60,
            second_of_day % 60,
        );
        write!(
            f,
            "D:{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}+00'00'"
        )
    }
}

/// Returns the proleptic Gregorian date of a day counted from 1970-01-01. Years
/// start in March, so that the leap day is the last.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097;
    const YEARS_PER_ERA: i64 = 400;
    const DAYS_FROM_0000_03_01: i64 = 719_468;

    let days = days.saturating_add(DAYS_FROM_0000_03_01);
    let era = days.div_euclid(DAYS_PER_ERA);
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * YEARS_PER_ERA + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(seconds: i64) -> String {
        PdfDate::from_unix(seconds).unwrap().to_string()
    }

    #[test]
    fn dates_are_those_of_the_gregorian_calendar() {
        assert_eq!(date(0), "D:19700101000000+00'00'");
        assert_eq!(date(951_782_400), "D:20000229000000+00'00'");
        assert_eq!(date(1_795_242_275), "D:20261121062435+00'00'");
        assert_eq!(date(4_107_542_399), "D:21000228235959+00'00'");
        assert_eq!(date(4_107_542_400), "D:21000301000000+00'00'");
        assert_eq!(date(-1), "D:19691231235959+00'00'");
    }

    #[test]
    fn times_outside_four_digit_years_have_no_date() {
        assert_eq!(PdfDate::from_unix(i64::MAX), None);
        assert_eq!(PdfDate::from_unix(i64::MIN), None);
        assert_eq!(PdfDate::from_unix(253_402_300_800), None);
    }
}
