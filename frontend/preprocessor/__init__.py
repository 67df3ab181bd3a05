"""The preprocessor: characters to tokens, macros, conditionals, includes, pragmas.

In: a source and its build options. Out: the list of tokens that the parser reads. Enter at
`preprocess`.
"""
