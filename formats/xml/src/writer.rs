use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

/// Writes XML to memory, which cannot fail.
#[derive(Debug)]
pub struct XmlWriter(Vec<u8>);

impl XmlWriter {
    /// Returns the written text as a UTF-8 document with its declaration.
    #[must_use]
    pub fn document(write: impl FnOnce(&mut Self)) -> String {
        const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

        format!("{DECLARATION}{}", Self::fragment(write))
    }

    /// Returns the written text as a fragment of a document.
    #[must_use]
    pub fn fragment(write: impl FnOnce(&mut Self)) -> String {
        let mut writer = Self(Vec::new());
        write(&mut writer);
        String::from_utf8(writer.0).expect("what was written is text")
    }

    /// Writes an element with content.
    pub fn element(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        inner: impl FnOnce(&mut Self),
    ) {
        let start = BytesStart::new(name).with_attributes(attributes.iter().copied());
        self.event(Event::Start(start));
        inner(self);
        self.event(Event::End(BytesEnd::new(name)));
    }

    /// Writes an element with text.
    pub fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.element(name, attributes, |writer| {
            writer.event(Event::Text(BytesText::new(text)));
        });
    }

    /// Writes an empty element.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.element(name, attributes, |_| {});
    }

    fn event(&mut self, event: Event<'_>) {
        let mut writer = Writer::new(&mut self.0);
        writer.write_event(event).expect("memory takes all bytes");
    }
}
