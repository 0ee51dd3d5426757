"""The pages, by what they are about: each module has the routes of one entry of the menu."""
