WIN = "win"
