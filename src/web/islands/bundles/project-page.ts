/** The scripts of a project's page, which is live and has charts. */
import "../live/project.js";
import "../page/charts.js";
