/** The scripts of a list: its filters, and the keys that move between its rows. */
import "../lists/filters.js";
import "../lists/row-keys.js";
