//! Rust tokens, as far as names need them.

/// Splits source into words, numbers, strings with their quotes, `::`, and
/// single characters. Comments, lifetimes and character literals are left out.
pub(super) fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (len, is_kept) = token(rest, first);
        let (token, after) = rest.split_at(len);
        if is_kept {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}

/// Returns the index after the bracket that closes the one at `opening`.
pub(super) fn group_end(tokens: &[&str], opening: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(opening) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 1 => return at + 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    tokens.len()
}

pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Returns the length of the next token, and whether to keep it.
fn token(rest: &str, first: char) -> (usize, bool) {
    if let Some(len) = comment(rest) {
        return (len, false);
    }
    if let Some(len) = text(rest) {
        return (len, true);
    }
    match first {
        '\'' => (quoted(rest), false),
        'b' if rest.starts_with("b'") => (1 + quoted(&rest[1..]), false),
        'r' if rest.starts_with("r#") => (2 + word(&rest[2..]), true),
        ':' if rest.starts_with("::") => (2, true),
        _ if is_part_of_word(first) => (word(rest), true),
        _ => (first.len_utf8(), !first.is_whitespace()),
    }
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn word(rest: &str) -> usize {
    let end = rest.find(|character| !is_part_of_word(character));
    end.unwrap_or(rest.len())
}

/// Returns the length of a comment; block comments nest.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    let mut at = rest.starts_with("/*").then_some(2)?;
    let mut depth = 1;
    while depth > 0 {
        let next = at + rest[at..].find(['/', '*'])?;
        let (step, change) = match &rest[next..] {
            found if found.starts_with("/*") => (2, 1),
            found if found.starts_with("*/") => (2, -1),
            _ => (1, 0),
        };
        at = next + step;
        depth += change;
    }
    Some(at)
}

/// Returns the length of a string literal with its prefix and quotes.
fn text(rest: &str) -> Option<usize> {
    let quote = rest.find(|character| !matches!(character, 'b' | 'c' | 'r' | '#'))?;
    let prefix = &rest[..quote];
    let letters = prefix.trim_end_matches('#');
    let content = rest[quote..].strip_prefix('"')?;
    let len = if letters.ends_with('r') {
        let end = format!("\"{}", "#".repeat(prefix.len() - letters.len()));
        content.find(&end)? + end.len()
    } else {
        let mut characters = content.char_indices();
        loop {
            match characters.next()? {
                (_, '\\') => drop(characters.next()),
                (at, '"') => break at + 1,
                _ => {}
            }
        }
    };
    Some(quote + 1 + len)
}

/// Returns the length of a character literal or a lifetime.
fn quoted(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    if let Some((_, '\\')) = characters.next() {
        characters.next();
        let end = characters.find(|(_, character)| *character == '\'');
        return end.map_or(rest.len(), |(at, _)| at + 1);
    }
    match characters.next() {
        Some((at, '\'')) => at + 1,
        _ => 1 + word(&rest[1..]),
    }
}

#[test]
fn names_in_texts_and_comments_are_none() {
    let source = r##"a::b /* c /* d */ e */ 'f' "g\"h" r#"i"j"# '\'' &'k l // m"##;
    let expected = ["a", "::", "b", r#""g\"h""#, r##"r#"i"j"#"##, "&", "l"];
    assert_eq!(tokens(source), expected);
}
