"""Ask in the notation of the textbooks."""

from clinic import net

from deciban.errors import QuestionError

print(net.ask("P(lung | xray=yes)"))
print(net.ask("P(lung | xray=yes, do(smoke=no))"))
print(
    "P(lung=yes, tub=no | xray=yes) =",
    round(net.ask("P(lung=yes, tub=no | xray=yes)"), 4),
)
print(net.ask("argmax P(lung, tub | xray=yes)"))
print("tub and smoke are independent:", net.ask("tub _||_ smoke"))
print("… and given dysp:", net.ask("tub _||_ smoke | dysp"))

try:
    net.ask("P(lung | xray=yes, do(smoke=never))")
except QuestionError as error:
    print(error)
