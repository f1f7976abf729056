use crate::named::named;

named! {
    /// Reasons why a field of a PDF form cannot be drawn as readers show it.
    pub enum FieldReason("reason for a field") {
        /// Its appearance uses a name that the page and the interactive form
        /// define differently, or that only some readers find in the form.
        AmbiguousResource = "ambiguous-resource",
        /// An annotation follows it that only some readers draw on top of it.
        AnnotationAbove = "annotation-above",
        /// The field covers an annotation that flattening would draw on top of it.
        AnnotationBelow = "annotation-below",
        /// The appearance has no usable `/BBox` or `/Matrix`, or no extent.
        BadBoundingBox = "bad-bbox",
        /// The flags of the widget or of its field are not an integer.
        BadFlags = "bad-flags",
        /// The widget has no usable `/Rect`.
        BadRectangle = "bad-rect",
        /// Its flag Invisible is set, which only some readers respect.
        InvisibleFlag = "invisible-flag",
        /// The page has it more than once.
        ListedTwice = "listed-twice",
        /// The form asks readers to generate its appearance anew, and the existing one does not
        /// provably have the text of its value.
        NeedAppearances = "need-appearances",
        /// The field is visible without an appearance; readers generate one.
        NoAppearance = "no-appearance",
        /// The field has appearances for states, but no current state.
        NoState = "no-state",
        /// Its page has the field as another annotation than a widget.
        NotAWidget = "not-a-widget",
        /// Its visibility depends on optional content (8.11).
        OptionalContent = "optional-content",
        /// The content of its page cannot be read.
        PageContent = "page-content",
        /// The field displays a signature, which flattening would break.
        Signed = "signed",
        /// The data of the appearance cannot be decoded.
        UndecodableAppearance = "undecodable-appearance",
        /// Its field type is unknown; only some readers display such a widget.
        UnknownFieldType = "unknown-field-type",
        /// Its current state has no appearance.
        UnknownState = "unknown-state",
        /// The field has a value, but the appearance draws no text.
        ValueNotDrawn = "value-not-drawn",
    }
}

impl FieldReason {
    /// Returns the reason for display, with the field as `it`.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::AmbiguousResource => {
                "its appearance uses a name that the page and the form define differently, or that only some readers find"
            }
            Self::AnnotationAbove => {
                "an annotation that follows it covers it for some readers and not for others"
            }
            Self::AnnotationBelow => {
                "it covers another annotation, which would come to lie on top of it"
            }
            Self::BadBoundingBox => "its appearance has no usable /BBox or /Matrix, or no extent",
            Self::BadFlags => "its flags are no integer",
            Self::BadRectangle => "it has no usable /Rect",
            Self::InvisibleFlag => "its flag Invisible hides it from some readers only",
            Self::ListedTwice => "its page lists it more than once",
            Self::NeedAppearances => {
                "the form asks readers to make appearances anew (/NeedAppearances), and the one that it has cannot be shown to have the text of its value"
            }
            Self::NoAppearance => {
                "it has something to show and no appearance, so that each reader makes up its own"
            }
            Self::NoState => {
                "it has an appearance for each of its states and does not say which one it is in (/AS)"
            }
            Self::NotAWidget => {
                "its page lists it as another annotation than a widget, which only some readers draw"
            }
            Self::OptionalContent => "a layer decides whether it is shown (/OC)",
            Self::PageContent => {
                "the content of its page cannot be read, or readers may differ about it"
            }
            Self::Signed => "it shows a signature, which flattening would break",
            Self::UndecodableAppearance => "the data of its appearance cannot be decoded",
            Self::UnknownFieldType => {
                "its field type (/FT) is not known, and only some readers show it"
            }
            Self::UnknownState => "it has no appearance for the state that it is in (/AS)",
            Self::ValueNotDrawn => "it has a value, but its appearance draws no text",
        }
    }
}
