// The text of a netlist: cards, their words and numbers. For src/netlist alone.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netlist/netlist.hpp"

namespace escapement::netlist {

/// A card: a line with the lines that continue it, without comments.
struct Card {
  struct Piece {
    std::size_t begin;  // in the text
    int line, column;
  };
  std::string text;
  std::vector<Piece> pieces;
  const std::string* file = nullptr;
  std::vector<std::uint32_t> inner_bytes;  // of characters that take several: columns count characters
  Mark mark(std::size_t at) const;
  Mark mark() const { return mark(0); }
  /// The text in backticks, not too long.
  std::string shown() const;
};

/// A part of a card, in small letters.
struct Word {
  enum class Kind { word, expression, open, close, equals };
  Kind kind = Kind::word;
  std::string text;    // of an expression: what stands within {…} or '…'
  std::size_t at = 0;  // in the text of the card
  const Card* card = nullptr;
  Mark mark() const { return card->mark(at); }
  bool is(std::string_view other) const { return kind == Kind::word && text == other; }
  bool is_word() const { return kind == Kind::word; }
  bool is_value() const { return kind == Kind::word || kind == Kind::expression; }
};

std::string lower(std::string_view text);

/// The cards of one text. `first_is_title`: of a netlist, not of a file that it includes.
struct Lines {
  std::string title;
  Mark title_mark;
  std::vector<Card> cards;
};
Lines split(const SubsystemText& file, bool first_is_title, const std::string& where, std::size_t most_lines);

/// E-LIMIT if there are more than `most`.
std::vector<Word> words(const Card& card, const std::string& where, std::size_t most);

enum class NumberFault { none, not_a_number, out_of_range };
/// `4.7Meg`, `10uF`, `1e-3V`: a number, a scale, letters that mean nothing. All of the text.
NumberFault read_number(std::string_view text, double& number);
/// How many characters of the text a number with its letters takes; 0: none begins here.
std::size_t number_length(std::string_view text);

/// The name as the model language can say it: `1` -> `n1`, `out+` -> `out_p`, `in-` -> `in_m`, other characters `_`.
std::string identifier(std::string_view name);

}  // namespace escapement::netlist
