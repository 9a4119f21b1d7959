/** The live project page: follows the events of the project. */
import { followPage } from "./live-sections.js";

const { slug = "", newest = "" } = (document.getElementById("project") as HTMLElement).dataset;
followPage({ filters: { project: slug }, newest, pauseMs: 250 });
