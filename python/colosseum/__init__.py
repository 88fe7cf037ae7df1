"""Python for players of a Colosseum host: colosseum.env trains them, colosseum.player runs them."""
