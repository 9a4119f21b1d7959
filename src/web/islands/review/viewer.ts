/** The controls of the viewers. */
import "../media/font.js";
import "../media/page-widths.js";
import "../media/players.js";
import "../media/zoom.js";
