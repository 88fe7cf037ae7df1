// The page with all contests.
import { start } from "./contests.js";
import * as person from "./person.js";

person.account();
start();
