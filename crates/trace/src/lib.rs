//! What one execution leaves behind: the input it took, the choices it made, how it ended.
