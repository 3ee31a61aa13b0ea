"""The op table: one file per family, one statement per op. `kinds` gives each family what it shares."""
