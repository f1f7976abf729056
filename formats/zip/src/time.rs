//! Entry times (APPNOTE.TXT, 4.4.6): local time without a zone, here UTC, in
//! steps of two seconds from 1980 to 2107.

/// Converts seconds since the Unix epoch to time and date; times out of range
/// become the nearest valid ones.
pub(crate) fn dos_time(seconds: i64) -> (u16, u16) {
    const FIRST: i64 = 315_532_800;
    const LAST: i64 = 4_354_819_198;
    const DAY: i64 = 86_400;

    let seconds = seconds.clamp(FIRST, LAST);
    let (days, of_day) = (seconds / DAY, seconds % DAY);
    let (year, month, day) = date(days);
    let time = ((of_day / 3600) << 11) | ((of_day / 60 % 60) << 5) | (of_day % 60 / 2);
    let date = ((year - 1980) << 9) | (month << 5) | day;
    let field = |value| u16::try_from(value).expect("times up to 2107 fit");
    (field(time), field(date))
}

/// Returns year, month and day of the Gregorian calendar for days since
/// 1970-01-01. Years start in March, so that the leap day is the last.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_TO_1970: i64 = 719_468;
    const DAYS_OF_400_YEARS: i64 = 146_097;

    let days = days + DAYS_TO_1970;
    let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields((time, date): (u16, u16)) -> [u16; 6] {
        [
            1980 + (date >> 9),
            date >> 5 & 15,
            date & 31,
            time >> 11,
            time >> 5 & 63,
            (time & 31) * 2,
        ]
    }

    #[test]
    fn times_are_written_in_utc_and_even_seconds() {
        assert_eq!(fields(dos_time(1_709_211_599)), [2024, 2, 29, 12, 59, 58]);
        assert_eq!(fields(dos_time(1_767_225_600)), [2026, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn times_outside_become_the_nearest_one() {
        assert_eq!(fields(dos_time(0)), [1980, 1, 1, 0, 0, 0]);
        assert_eq!(fields(dos_time(i64::MAX)), [2107, 12, 31, 23, 59, 58]);
    }
}
