// Plays roshambo: shows the hand that beats the opponent's last one.
#include <iostream>
#include <map>
#include <string>

int main() {
    const std::map<std::string, std::string> beats{{"ROCK", "PAPER"}, {"PAPER", "SCISSORS"}, {"SCISSORS", "ROCK"}};
    std::string line, hand = "ROCK";
    std::getline(std::cin, line); // its own name
    std::getline(std::cin, line); // the opponent's
    std::getline(std::cin, line);
    for (int rounds = std::stoi(line); rounds > 0; rounds--) {
        std::cout << hand << std::endl;
        std::getline(std::cin, line);
        if (!beats.contains(line)) break; // RETIRE: the match has ended
        hand = beats.at(line);
    }
}
