"""Questions to a net in the notation of the textbooks, such as ``P(lung | xray=yes, do(smoke=no))``."""
