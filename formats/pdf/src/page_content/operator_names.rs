//! Content stream operators (ISO 32000-2, annex A).

/// Operators, sorted, each with its number of operands.
const OPERATORS: [(&[u8], usize); 73] = [
    (b"\"", 3),
    (b"'", 1),
    (b"B", 0),
    (b"B*", 0),
    (b"BDC", 2),
    (b"BI", 0),
    (b"BMC", 1),
    (b"BT", 0),
    (b"BX", 0),
    (b"CS", 1),
    (b"DP", 2),
    (b"Do", 1),
    (b"EI", 0),
    (b"EMC", 0),
    (b"ET", 0),
    (b"EX", 0),
    (b"F", 0),
    (b"G", 1),
    (b"ID", 0),
    (b"J", 1),
    (b"K", 4),
    (b"M", 1),
    (b"MP", 1),
    (b"Q", 0),
    (b"RG", 3),
    (b"S", 0),
    (b"SC", 1),
    (b"SCN", 1),
    (b"T*", 0),
    (b"TD", 2),
    (b"TJ", 1),
    (b"TL", 1),
    (b"Tc", 1),
    (b"Td", 2),
    (b"Tf", 2),
    (b"Tj", 1),
    (b"Tm", 6),
    (b"Tr", 1),
    (b"Ts", 1),
    (b"Tw", 1),
    (b"Tz", 1),
    (b"W", 0),
    (b"W*", 0),
    (b"b", 0),
    (b"b*", 0),
    (b"c", 6),
    (b"cm", 6),
    (b"cs", 1),
    (b"d", 2),
    (b"d0", 2),
    (b"d1", 6),
    (b"f", 0),
    (b"f*", 0),
    (b"g", 1),
    (b"gs", 1),
    (b"h", 0),
    (b"i", 1),
    (b"j", 1),
    (b"k", 4),
    (b"l", 2),
    (b"m", 2),
    (b"n", 0),
    (b"q", 0),
    (b"re", 4),
    (b"rg", 3),
    (b"ri", 1),
    (b"s", 0),
    (b"sc", 1),
    (b"scn", 1),
    (b"sh", 1),
    (b"v", 4),
    (b"w", 1),
    (b"y", 4),
];

/// Returns the number of operands an operator requires; `None` if it is no
/// operator. Some readers ignore the rest of a content after an operator with
/// too few.
pub(super) fn needed_operands(operator: &[u8]) -> Option<usize> {
    let found = OPERATORS.binary_search_by_key(&operator, |(name, _)| name);
    let (_, needed) = OPERATORS.get(found.ok()?)?;
    Some(*needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_are_in_order() {
        assert!(OPERATORS.is_sorted());
    }

    #[test]
    fn an_operator_is_known_by_its_exact_name() {
        assert_eq!(needed_operands(b"cm"), Some(6));
        assert_eq!(needed_operands(b"Q"), Some(0));
        assert_eq!(needed_operands(b"QQ"), None);
        assert_eq!(needed_operands(b""), None);
    }
}
