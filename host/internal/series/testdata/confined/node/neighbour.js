exports.win = "win";
