"""Pages for people at `/ui`: made on the server, without a script.

addresses    one-time addresses with which a browser signs in
visitors     who is signed in, and what their key allows
forms        what a form sent
render       templates, the headers of every page, times in words
quoting      which lines of a message a memory rests on
views/       the pages, by what they are about; `views/entry.py` signs in and out
templates/   one file a page, around `base.html`
static/      the style sheet and the icon
"""
