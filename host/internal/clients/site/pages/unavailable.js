// Why a game cannot be played now.
import { t } from "./i18n.js";

export const unavailable = (game) => game.preparing
	? t("This game is being prepared: {reason}", { reason: game.unavailable })
	: t("Unavailable: {reason}", { reason: game.unavailable });
